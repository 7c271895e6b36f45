"""What follows a reasoning block is the answer, in every shape that models write."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, RoleView
from chaosops.text import ActionTextError, parse_action, render_action
from chaosops.text.actions import MAX_ANSWER, MAX_REASONED
from tests.text.samples import actions, seen
from tests.worlds import all_ids

BLOCKS = (
    ("<think>", "</think>"),
    ("<think>\n", "\n</think>\n\n"),
    ("<THINK>", "</THINK>"),
    ("<thinking>", "</thinking>"),
    ('<thinking effort="high">', "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<inner_monologue>", "</inner_monologue>"),
    ("<antThinking>", "</antThinking>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("[reasoning]", "[/reasoning]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<unused94>thought\n", "<unused95>"),
    (
        "<|channel|>analysis<|message|>",
        "<|end|><|start|>assistant<|channel|>final<|message|>",
    ),
    ("<|start|>assistant<|channel|>analysis<|message|>", "<|channel|>final <|constrain|>json "),
    ("analysisWe need to act. ", "assistantfinal"),
    ("Here is my thought process:\n", "\nHere is my response:\n"),
    ("```thinking\n", "\n```\n"),
)
OPENED_BY_THE_PROMPT = [
    (begin, end)
    for begin, end in BLOCKS
    if not begin.startswith("```")  # a bare fence says nothing of what it closes
]
RESTART = '{"action_type":"restart","target":"db"}'
SHAPES = (
    "{}",
    "\n\n{}\n",
    "```json\n{}\n```",
    "```\n{}\n```",
    "The queue is long, so:\n\n```json\n{}\n```\nThat should help.",
    "I will do {} now.",
    "<answer>{}</answer>",
    "<|begin_of_solution|>{}<|end_of_solution|>",
)


@pytest.fixture(scope="module")
def sre(easiest: str) -> RoleView:
    return next(o.view for o in seen(easiest) if o.turn_role is AgentRole.SRE)


_thoughts = st.lists(
    st.sampled_from(
        [
            "The errors begin at db.",
            RESTART.replace("db", "edge"),
            '{"action_type":"noop"}',
            '```json\n{"action_type":"noop"}\n```',
            '{"action_type": "noop", ',
            "{'action_type': 'noop'}",
            '{"a": "a string that does not end',
            '{"action_type":"noop","action_type":"noop"}',
            '{"action_type": NaN}',
            '{"a":' * 5_000,
            "a set {x, y}",
            "<b>bold</b>",
            "it's \u00e9 \U0001f642",
            "Answer: ",
        ]
    )
    | st.text(alphabet='abc {}":,\n', max_size=20),
    max_size=5,
).map(" ".join)


@given(
    block=st.sampled_from(BLOCKS),
    thoughts=_thoughts,
    shape=st.sampled_from(SHAPES),
    more=st.booleans(),
)
def test_the_action_after_the_reasoning_is_always_the_one_that_is_taken(
    block: tuple[str, str], thoughts: str, shape: str, more: bool, sre: RoleView
) -> None:
    begin, end = block
    answer = f"{begin}{thoughts}{end}"
    if more:
        answer += f'Wait. {{"action_type":"noop"}} <think>{thoughts}</think>'
    answer += shape.replace("{}", RESTART)
    assert parse_action(answer, sre) == ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db")


@given(
    block=st.sampled_from(BLOCKS), thoughts=_thoughts, nothing=st.sampled_from(["", "\n", "So."])
)
def test_an_action_inside_the_reasoning_is_never_taken(
    block: tuple[str, str], thoughts: str, nothing: str, sre: RoleView
) -> None:
    begin, end = block
    with pytest.raises(ActionTextError, match=r"after the reasoning\b"):
        parse_action(f"{begin}{thoughts} {RESTART} {end}{nothing}", sre)


@given(block=st.sampled_from(BLOCKS), thoughts=_thoughts, shape=st.sampled_from(SHAPES))
def test_reasoning_that_is_not_closed_has_no_answer(
    block: tuple[str, str], thoughts: str, shape: str, sre: RoleView
) -> None:
    if block[0].startswith("```") and "```" in thoughts + shape:
        return  # the fence of the answer closes that of the reasoning
    with pytest.raises(ActionTextError, match="does not end: no answer"):
        parse_action(block[0] + thoughts + shape.replace("{}", RESTART), sre)


@given(
    block=st.sampled_from(OPENED_BY_THE_PROMPT),
    thoughts=_thoughts,
    shape=st.sampled_from(SHAPES),
)
def test_reasoning_that_the_prompt_has_opened_ends_with_its_closing_mark(
    block: tuple[str, str], thoughts: str, shape: str, sre: RoleView
) -> None:
    answer = f"{thoughts} {RESTART.replace('db', 'edge')}{block[1]}{shape.replace('{}', RESTART)}"
    assert parse_action(answer, sre).target == "db"


@given(block=st.sampled_from(BLOCKS), shape=st.sampled_from(SHAPES[:4]))
def test_marks_inside_the_words_of_an_action_are_words(
    block: tuple[str, str], shape: str, sre: RoleView
) -> None:
    for text in (
        f"{block[0]}x{block[1]}",
        block[0],
        block[1],
        f'see ```json {{"a":1}} ``` {block[1]}',
    ):
        said = ChaosOpsAction(AgentRole.SRE, ActionType.COMMUNICATE, None, {"text": text})
        assert parse_action(shape.replace("{}", render_action(said)), sre) == said


@pytest.mark.few(1)
@pytest.mark.parametrize("name", all_ids()[:3])
def test_every_allowed_action_reads_back_behind_reasoning(name: str) -> None:
    for observation in seen(name)[:4]:
        for number, action in enumerate(actions(observation.view)):
            begin, end = BLOCKS[number % len(BLOCKS)]
            text = f'{begin}or {{"action_type":"noop"}}?{end}{render_action(action)}'
            assert parse_action(text, observation.view) == action


def test_what_is_asked_for_in_a_broken_message_behind_a_mark_in_it_is_not_done(
    sre: RoleView,
) -> None:
    answer = (
        '{"action_type":"communicate","args":{"text":"</think>","to":"dev",'
        '"proposal":{"action_type":"restart","target":"db"}},}'
    )
    with pytest.raises(ActionTextError, match="the JSON breaks"):
        parse_action(answer, sre)


def test_reasoning_may_be_much_longer_than_an_answer(sre: RoleView) -> None:
    thoughts = "hm " * MAX_ANSWER
    assert parse_action(f"<think>{thoughts}</think>{RESTART}", sre).target == "db"
    with pytest.raises(ActionTextError, match=f"longer than {MAX_REASONED} characters"):
        parse_action(f"<think>{' ' * MAX_REASONED}</think>{RESTART}", sre)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "piece",
    ["<think>", "</think>", "<think></think>", '{"', '```{"', "{}", "```", "<think ", "{ ",
     "[/think", "<|channel|>analysis", "```thinking ", "[[THINK", "seed_seed_think", '{"a":'],
)  # fmt: skip
def test_a_long_text_of_marks_is_read_in_a_moment(piece: str, sre: RoleView) -> None:
    begun = time.process_time()
    with pytest.raises(ActionTextError):
        parse_action(piece * (MAX_REASONED // 2 // len(piece)), sre)
    assert time.process_time() - begun < 10
