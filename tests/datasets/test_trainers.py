"""One training step with the real trainers, on a tiny random model made here. Opt-in: `-m trl`."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import datasets
import pytest
import tokenizers
import torch
import transformers
import trl
from tokenizers import decoders, models, pre_tokenizers

from chaosops.datasets.rows import Format
from chaosops.datasets.simulator_reward import make_simulator_reward
from chaosops.recording.events import ConsentScope
from chaosops.recording.turn_sources import TurnSource
from tests.datasets.games import SRE, export, game

pytestmark = pytest.mark.trl

_TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>\n{{ message['content'] }}<|end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
_CONTEXT = 8_192


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """Every byte is a token; no vocabulary has to be fetched."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = tokenizers.Tokenizer(
        models.BPE(vocab={char: i for i, char in enumerate(alphabet)}, merges=[])
    )
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    roles = [f"<|{role}|>" for role in ("system", "user", "assistant")]
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token="<|end|>",
        pad_token="<|pad|>",
        additional_special_tokens=roles,
        model_max_length=_CONTEXT,
    )
    made.chat_template = _TEMPLATE
    return made


@pytest.fixture
def model(tokenizer: Any) -> Any:
    """Two layers of 32, with random weights."""
    torch.manual_seed(0)
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            max_position_embeddings=_CONTEXT,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set with a row of each format."""
    folder = tmp_path_factory.mktemp("data")
    scopes = (ConsentScope.ACTIONS, ConsentScope.FREE_TEXT)
    game(folder / "logs", people=(SRE,), scopes=scopes, copilot="random", max_turns=12)
    export(
        folder / "logs",
        folder / "set",
        Format.SFT,
        Format.PREFERENCE,
        Format.GRPO,
        sources=frozenset(TurnSource),
        roles=frozenset({SRE}),
        history=0,
    )
    return folder / "set"


def load(data: Path, kind: Format) -> Any:
    return datasets.load_dataset(
        str(data), kind.value, split="train", cache_dir=str(data.parent / "cache")
    )


def settings(tmp_path: Path, **more: Any) -> dict[str, Any]:
    return {
        "output_dir": str(tmp_path / "out"),
        "max_steps": 1,
        "per_device_train_batch_size": 2,
        "report_to": [],
        "use_cpu": True,
        "save_strategy": "no",
        "logging_steps": 1,
        "bf16": False,
        **more,
    }


def step(trainer: Any, model: Any) -> dict[str, float]:
    """Take the one step; the weights must have moved, and every figure be a number."""
    before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    trainer.train()
    moved = [
        name for name, weight in model.named_parameters() if not torch.equal(weight, before[name])
    ]
    figures = {
        name: float(value)
        for entry in trainer.state.log_history
        for name, value in entry.items()
        if isinstance(value, int | float)
    }
    assert trainer.state.global_step == 1
    assert all(math.isfinite(value) for value in figures.values())
    print({"moved": len(moved), **figures})
    return {"moved": len(moved), **figures}


def test_sft_takes_a_step(data: Path, model: Any, tokenizer: Any, tmp_path: Path) -> None:
    trainer = trl.SFTTrainer(
        model=model,
        args=trl.SFTConfig(**settings(tmp_path), max_length=_CONTEXT),
        train_dataset=load(data, Format.SFT),
        processing_class=tokenizer,
    )
    figures = step(trainer, model)
    assert figures["moved"] > 0
    assert 4 < figures["loss"] < 8


def test_preference_takes_a_step(data: Path, model: Any, tokenizer: Any, tmp_path: Path) -> None:
    trainer = trl.DPOTrainer(
        model=model,
        ref_model=copy.deepcopy(model),
        args=trl.DPOConfig(**settings(tmp_path), max_length=_CONTEXT),
        train_dataset=load(data, Format.PREFERENCE),
        processing_class=tokenizer,
    )
    figures = step(trainer, model)
    assert figures["moved"] > 0
    assert figures["loss"] == pytest.approx(math.log(2), abs=0.05)


def test_grpo_takes_a_step_with_the_simulator_as_reward(
    data: Path, model: Any, tokenizer: Any, tmp_path: Path
) -> None:
    paid: list[float] = []
    simulator = make_simulator_reward(play_on=False)

    def simulator_reward(completions: list[Any], **columns: Any) -> list[float]:
        rewards = simulator(completions, **columns)
        paid.extend(rewards)
        brief = [-0.001 * len(completion[0]["content"]) for completion in completions]
        return [reward + extra for reward, extra in zip(rewards, brief, strict=True)]

    trainer = trl.GRPOTrainer(
        model=model,
        reward_funcs=simulator_reward,
        args=trl.GRPOConfig(
            **settings(tmp_path, learning_rate=1e-3), num_generations=2, max_completion_length=24
        ),
        train_dataset=load(data, Format.GRPO),
        processing_class=tokenizer,
    )
    figures = step(trainer, model)
    assert len(paid) >= 2
    assert all(reward < -20 for reward in paid)
    assert figures["reward"] < -20
