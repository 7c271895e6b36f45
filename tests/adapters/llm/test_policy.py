"""A model in a seat, against a server that behaves in every way that servers do."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from chaosops.adapters.llm import client
from chaosops.adapters.llm.models import LanguageModels
from chaosops.adapters.llm.policy import ModelPolicy
from chaosops.adapters.llm.settings import ModelMode, ModelSettings, Secret
from chaosops.agents.policy import answered_by_program, trouble_of
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.text import (
    COMPACT_TOKENS,
    estimated_tokens,
    render_action,
    render_compact,
    render_observation,
)
from tests.adapters.llm.server import (
    KEY,
    Answer,
    Server,
    action,
    answers_of,
    calls,
    chat,
    hangs,
    hangs_up,
    html,
    says,
    serving,
    status,
    trickles,
    turn,
)
from tests.text.samples import seen

SRE = AgentRole.SRE
RESTART = ChaosOpsAction(SRE, ActionType.RESTART, "db")
GOOD = says(turn("restart", "db"))
NOOP = ChaosOpsAction(SRE, ActionType.NOOP)


def first() -> ChaosOpsObservation:
    return next(each for each in seen("paying-ends-in-an-error") if each.turn_role is SRE)


def seated(
    server: Server, settings: ModelSettings | None = None
) -> tuple[ModelPolicy, LanguageModels]:
    models = LanguageModels(settings or ModelSettings(timeout=5), server.environment)
    policy = models.find("little-1")(0)
    assert isinstance(policy, ModelPolicy)
    return policy, models


def figures(models: LanguageModels) -> dict[str, int]:
    return {
        name: count
        for name, count in models.usage.figures()["openai:little-1"].items()
        if type(count) is int and count and "tokens" not in name
    }


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between requests, which are not waited for."""
    taken: list[float] = []
    was = client.ChatClient.__init__

    def pause(stop: threading.Event, seconds: float) -> bool:
        taken.append(seconds)
        return stop.is_set()

    def made(self: client.ChatClient, *args: Any, **options: Any) -> None:
        was(self, *args, **options, pause=pause)

    monkeypatch.setattr(client.ChatClient, "__init__", made)
    return taken


BARE = json.dumps(action("restart", "db"))

GIVES = {
    "held to the schema": GOOD,
    "with nulls for what is not used": says(
        '{"reason":"r","action":{"action_type":"restart","target":"db","args":{"x":null}}}'
    ),
    "bare": says(BARE),
    "a tool call": calls("restart", {"target": "db"}),
    "a tool call with an object": chat(
        {"tool_calls": [{"function": {"name": "restart", "arguments": {"target": "db"}}}]}
    ),
    "fenced": says(f"Here it is:\n```json\n{turn('restart', 'db')}\n```\nDone."),
    "in prose": says(f"I would do {BARE}, since it hangs."),
    "after reasoning": says(f"<think>{turn('noop')} or what?</think>{turn('restart', 'db')}"),
    "in parts": chat({"content": [{"type": "text", "text": turn("restart", "db")}]}),
    "twice the same": says(f"{turn('restart', 'db')} so {turn('restart', 'db')}"),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("answer", GIVES.values(), ids=GIVES.keys())
@pytest.mark.parametrize("mode", ModelMode)
def test_an_action_is_found_however_the_model_writes_it(answer: Answer, mode: ModelMode) -> None:
    with serving(answer) as server:
        policy, models = seated(server, ModelSettings(mode, timeout=5))
        assert policy(first(), SRE) == RESTART
        assert answered_by_program(policy)
        assert not trouble_of(policy)
        assert figures(models) == {"calls": 1, "turns": 1}
        assert models.usage.tokens == 110


LOST: dict[str, tuple[list[Answer], str, dict[str, int]]] = {
    "garbage": ([says("la la la")], "gave no valid action", {"calls": 3, "repairs": 2}),
    "nothing": ([says("")], "gave no valid action", {"calls": 3, "repairs": 2}),
    "null": ([says(None)], "gave no valid action", {"calls": 3, "repairs": 2}),
    "reasoning alone": ([says("<think>hm")], "does not end", {"calls": 3, "repairs": 2}),
    "another role's action": (
        [says(json.dumps(action("resolve")))],
        "sre cannot 'resolve' now",
        {"calls": 3, "repairs": 2},
    ),
    "another role's tool": ([calls("resolve", {})], "sre cannot", {"calls": 3, "repairs": 2}),
    "broken tool": ([calls("restart", "{")], "no JSON object", {"calls": 3, "repairs": 2}),
    "two actions": (
        [says(f"{turn('restart', 'db')} {turn('noop')}")],
        "different actions",
        {"calls": 3, "repairs": 2},
    ),
    "no such target": (
        [says(turn("restart", "moon"))],
        "'target' of restart",
        {"calls": 3, "repairs": 2},
    ),
    "a page": ([html], "not as a chat API does", {"calls": 1}),
    "no choices": ([lambda t: t.send(200, '{"choices":[]}')], "not as a chat", {"calls": 1}),
    "an array": ([lambda t: t.send(200, "[1]")], "not as a chat API does", {"calls": 1}),
    "deep": ([lambda t: t.send(200, "[" * 200_000)], "not as a chat API does", {"calls": 1}),
    "the key refused": ([status(401)], "refused the key (status 401)", {"calls": 1}),
    "no such model": ([status(404)], "no such model or address (status 404)", {"calls": 1}),
    "a bad request": ([status(400)], "(status 400): it may not know this --llm-mode", {"calls": 1}),
    "moved": ([status(307, Location="/v2")], "is somewhere else (status 307)", {"calls": 1}),
    "always busy": ([status(429)], "answered with status 429", {"calls": 4}),
    "always broken": ([status(503)], "answered with status 503", {"calls": 4}),
    "busy for an hour": (
        [status(429, Retry_After="3600")],
        "asks to wait for 3600 s",
        {"calls": 1},
    ),
    "hanging up": ([hangs_up], "could not be reached", {"calls": 4}),
}


@pytest.mark.few(3)
@pytest.mark.parametrize(("answers", "why", "counts"), LOST.values(), ids=LOST.keys())
def test_a_turn_without_a_valid_answer_passes_and_says_why(
    answers: list[Answer], why: str, counts: dict[str, int]
) -> None:
    with serving(*answers) as server:
        policy, models = seated(server)
        assert policy(first(), SRE) == NOOP
        assert not answered_by_program(policy)
        assert why in policy.trouble
        assert why in models.summary()[1]
        assert "\n" not in policy.trouble
        assert KEY not in policy.trouble
        assert figures(models) == {**counts, "lost_turns": 1}
        # The next turn is a new one.
        server.answers = [GOOD]
        after = policy(first(), SRE)
        is_final = why.startswith(("refused the key", "no such model", "is somewhere else"))
        assert after == (NOOP if is_final else RESTART)
        assert bool(policy.trouble) is is_final


def test_an_answer_is_sent_back_with_the_parsers_own_words() -> None:
    with serving(says("no idea"), says(turn("restart", "moon")), GOOD) as server:
        policy, models = seated(server)
        assert policy(first(), SRE) == RESTART
        assert figures(models) == {"calls": 3, "repairs": 2, "turns": 1}
        _first, second, third = answers_of(server)
        assert "there is no JSON object in the answer" in second
        assert "'target' of restart is one of" in third
        assert [m["role"] for m in server.asked[2]["messages"]] == [
            "system", "user", "assistant", "user", "assistant", "user",
        ]  # fmt: skip
        assert server.asked[2]["messages"][2]["content"] == "no idea"


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([status(429, Retry_After="2"), GOOD], [2.0]),
        ([status(500), status(500), GOOD], [1.0, 2.0]),
        ([status(408), status(409), status(503, Retry_After="0"), GOOD], [1.0, 2.0, 0.0]),
        ([status(429, Retry_After="soon"), GOOD], [1.0]),
        ([hangs_up, GOOD], [1.0]),
    ],
)
def test_what_may_pass_is_tried_again_as_the_server_asks(
    answers: list[Answer], expected: list[float], waits: list[float]
) -> None:
    with serving(*answers) as server:
        policy, models = seated(server)
        assert policy(first(), SRE) == RESTART
        assert waits == expected
        assert figures(models) == {"calls": len(answers), "turns": 1}
        assert len({json.dumps(body) for body in server.asked}) == 1


def test_a_date_to_wait_for_is_understood(waits: list[float]) -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    with serving(status(429, Retry_After=then), GOOD) as server:
        assert seated(server)[0](first(), SRE) == RESTART
    assert 15 < waits[0] <= 20


@pytest.mark.parametrize("slow", [hangs, trickles])
def test_a_slow_answer_is_given_up_and_asked_for_once_more(slow: Answer) -> None:
    settings = ModelSettings(timeout=0.3)
    with serving(slow, GOOD) as server:
        policy, models = seated(server, settings)
        assert policy(first(), SRE) == RESTART
        assert figures(models) == {"calls": 2, "turns": 1}
    with serving(slow) as server:
        policy, models = seated(server, settings)
        began = time.monotonic()
        assert policy(first(), SRE) == NOOP
        assert time.monotonic() - began < 5
        assert "did not answer within 0.3 s" in policy.trouble
        assert figures(models) == {"calls": 2, "lost_turns": 1}


def test_who_is_not_waited_for_sends_nothing_more() -> None:
    with serving(says("garbage")) as server:
        policy, models = seated(server)
        asked: Callable[..., Answer] = says

        def stopping(turn: Any) -> None:
            policy.stop()
            asked("garbage")(turn)

        server.answers = [stopping]
        assert policy(first(), SRE) == NOOP
        assert figures(models) == {"calls": 1, "lost_turns": 1}
        server.answers = [GOOD]
        assert policy(first(), SRE) == RESTART


def test_a_server_that_is_not_there_costs_the_turn() -> None:
    environment = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    models = LanguageModels(ModelSettings(timeout=2), environment)
    policy = models.find("little-1")(0)
    assert policy(first(), SRE) == NOOP
    assert "could not be reached (ConnectError): check OPENAI_BASE_URL" in trouble_of(policy)


def test_a_budget_that_is_spent_ends_the_asking_of_all_models() -> None:
    with serving(GOOD) as server:
        models = LanguageModels(ModelSettings(timeout=5, budget=200), server.environment)
        one, two = models.find("little-1")(0), models.find("little-2")(0)
        assert one(first(), SRE) == RESTART
        assert two(first(), SRE) == RESTART
        assert one(first(), SRE) == NOOP
        assert "the budget of 200 tokens is spent" in trouble_of(one)
        assert len(server.asked) == 2
        assert models.summary() == (
            "openai:little-1: 1 turn, 1 call, 110 tokens (100 in, 10 out), 0 repairs, 1 lost turn",
            (
                "last lost turn: the server of openai:little-1 is no longer asked: the "
                "budget of 200 tokens is spent"
            ),
            "openai:little-2: 1 turn, 1 call, 110 tokens (100 in, 10 out), 0 repairs, 0 lost turns",
        )


@pytest.mark.parametrize("usage", [None, (-5, "many"), (10**12, True)])
def test_tokens_that_are_not_counted_are_estimated(usage: object) -> None:
    with serving(says(turn("restart", "db"), usage)) as server:
        policy, models = seated(server)
        policy(first(), SRE)
        ((_name, counts),) = models.usage.figures().items()
        (body,) = server.asked
        asked = sum(estimated_tokens(message["content"]) for message in body["messages"])
        assert counts["prompt_tokens"] == asked > 1_000
        assert 5 < counts["completion_tokens"] < 60


@pytest.mark.parametrize("mode", ModelMode)
def test_what_is_asked_is_the_rules_the_view_and_the_form(mode: ModelMode) -> None:
    with serving(GOOD) as server:
        policy, _models = seated(server, ModelSettings(mode, timeout=5))
        policy(first(), SRE)
        (body,), (headers,) = server.asked, server.headers
    assert body["model"] == "little-1"
    system, user = body["messages"]
    assert system["content"].startswith("You are on call as sre")
    assert user["content"] == render_observation(first())
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in json.dumps(body)
    assert ("response_format" in body) is (mode is ModelMode.SCHEMA)
    assert ("tools" in body) is (mode is ModelMode.TOOLS)
    if mode is ModelMode.SCHEMA:
        form = body["response_format"]["json_schema"]
        Draft202012Validator.check_schema(form["schema"])
        assert form["strict"] is True
        assert Draft202012Validator(form["schema"]).is_valid(
            json.loads(turn("restart", "db", say=None, instance=None))
        )
        assert not Draft202012Validator(form["schema"]).is_valid(
            json.loads(turn("resolve", say=None))
        )
    if mode is ModelMode.TOOLS:
        assert {tool["function"]["name"] for tool in body["tools"]} == {
            choice.action_type.value for choice in first().view.allowed
        }


@pytest.mark.parametrize(
    "answer",
    [
        says(turn("restart", "db", reason="It holds locks.")),
        calls("restart", {"target": "db", "reason": "It holds locks."}),
    ],
)
def test_the_reason_comes_with_the_answer_and_costs_no_call(answer: Answer) -> None:
    with serving(answer) as server:
        policy, _models = seated(server)
        policy(first(), SRE)
        assert policy.explain(first(), SRE) == "It holds locks."
        assert len(server.asked) == 1


def test_threads_that_share_a_policy_have_their_own_last_answer() -> None:
    with serving(GOOD) as server:
        policy, _models = seated(server)
        policy(first(), SRE)
        found: list[bool] = []
        thread = threading.Thread(target=lambda: found.append(policy.answered_by_program))
        thread.start()
        thread.join()
        assert found == [False]
        assert policy.answered_by_program


def test_the_key_is_in_no_log_answer_or_repr(tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    settings = ModelSettings(timeout=5, log=log)
    leaking = says(turn("communicate", reason=f"my key is {KEY}", text=f"the key: {KEY}"))
    escaped = says(turn("restart", "db", reason=KEY).replace("sk-", "\\u0073k-"))
    wrong = says(turn("restart", KEY).replace("sk-", "\\u0073k-"))
    answers = [status(401), html, leaking, escaped, wrong]
    answers += [calls("restart", f'{{"target":"{KEY}"}}'), GOOD]
    with serving(*answers) as server:
        policies = [seated(server, settings) for _ in range(5)]
        said = []
        for policy, models in policies:
            done = policy(first(), SRE)
            said += [render_action(done), policy.trouble, policy.explain(first(), SRE)]
            said += [repr(policy), repr(models), repr(vars(policy)), repr(vars(policy._client))]
            said += [repr(models.policies()), *models.summary()]
    said.append(log.read_text("utf-8"))
    assert not [text for text in said if KEY in text]
    assert not [text for text in said if "Sign in" in text or "bad key" in text]
    assert any("the key: [secret]" in text for text in said)


def test_the_log_has_each_call_and_is_private(tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    log.write_text("{}\n")
    log.chmod(0o644)
    settings = ModelSettings(timeout=5, log=log)
    with serving(says("garbage \ud800"), GOOD, status(401)) as server:
        policy, _models = seated(server, settings)
        policy(first(), SRE)
        policy(first(), SRE)
    assert log.stat().st_mode & 0o777 == 0o600
    _before, *lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert [line["problem"] for line in lines] == [
        "", "", "refused the key (status 401): check OPENAI_API_KEY",
    ]  # fmt: skip
    assert lines[0]["text"].startswith("garbage")
    assert lines[1]["messages"][-1]["content"].startswith("That is no action: ")
    assert lines[0]["role"] == "sre"
    fresh = tmp_path / "new.jsonl"
    LanguageModels(ModelSettings(log=fresh), {})
    assert fresh.stat().st_mode & 0o777 == 0o600


def test_a_secret_is_never_shown() -> None:
    secret = Secret(KEY)
    assert KEY not in f"{secret} {secret!r} {[secret]}"
    with pytest.raises(TypeError, match="can't be pickled"):
        secret.__reduce__()


def _offer(*candidates: tuple[str, str, str | None]) -> str:
    """An answer with candidates: the reason, the verb and the target of each."""
    made = [
        {"reason": reason, "action": action(verb, target)} for reason, verb, target in candidates
    ]
    return json.dumps(dict(zip(("first", "second", "third"), [*made, None, None], strict=False)))


ALSO = ChaosOpsAction(SRE, ActionType.RESTART, "payments")
THREE = _offer(("a", "restart", "db"), ("b", "restart", "payments"), ("c", "noop", None))
TWO = [(RESTART, "a"), (ALSO, "b")]


def _restarts(*targets: str) -> Answer:
    tools = [
        {"function": {"name": "restart", "arguments": {"target": target, "reason": reason}}}
        for target, reason in zip(targets, "abcdef", strict=False)
    ]
    return chat({"tool_calls": tools})


OFFERS: dict[str, tuple[Answer, list[tuple[ChaosOpsAction, str]]]] = {
    "three in their order": (says(THREE), [*TWO, (NOOP, "c")]),
    "two": (says(_offer(("a", "restart", "db"), ("b", "restart", "payments"))), TWO),
    "one of three": (says(_offer(("a", "restart", "db"))), TWO[:1]),
    "one as in a seat": (says(turn("restart", "db", reason="a")), TWO[:1]),
    "one bare": (says(BARE), [(RESTART, "")]),
    "two objects": (
        says(turn("restart", "db", reason="a") + turn("restart", "payments", reason="b")),
        TWO,
    ),
    "a list": (
        says(f"[{turn('restart', 'db', reason='a')}, {turn('restart', 'payments', reason='b')}]"),
        TWO,
    ),
    "without reasons": (
        says(json.dumps({"first": action("restart", "db"), "second": action("noop")})),
        [(RESTART, ""), (NOOP, "")],
    ),
    "a tool call": (_restarts("db"), TWO[:1]),
    "tool calls": (_restarts("db", "payments"), TWO),
}


@pytest.mark.few(2)
@pytest.mark.parametrize(("answer", "found"), OFFERS.values(), ids=OFFERS.keys())
@pytest.mark.parametrize("mode", ModelMode)
def test_a_model_offers_one_to_three_actions_however_it_writes_them(
    answer: Answer, found: list[tuple[ChaosOpsAction, str]], mode: ModelMode
) -> None:
    with serving(answer) as server:
        policy, models = seated(server, ModelSettings(mode, timeout=5))
        assert [tuple(each) for each in policy.candidates(first(), SRE)] == found
        assert answered_by_program(policy)
        assert not trouble_of(policy)
        assert figures(models) == {"calls": 1, "turns": 1}


def test_a_model_in_a_seat_that_gives_three_in_their_order_takes_the_first() -> None:
    with serving(says(THREE)) as server:
        policy, _models = seated(server)
        assert policy(first(), SRE) == RESTART


def test_what_is_wrong_with_a_candidate_is_told_by_its_place() -> None:
    wrong = _offer(("a", "restart", "db"), ("b", "restart", "moon"), ("c", "resolve", None))
    with serving(says(wrong), says(THREE)) as server:
        policy, models = seated(server)
        assert len(policy.candidates(first(), SRE)) == 3
        assert figures(models) == {"calls": 2, "turns": 1, "repairs": 1}
        told = server.asked[1]["messages"][-1]["content"]
        assert "the second one: " in told
        assert "'target' of restart" in told
        assert "the third one: sre cannot 'resolve' now" in told
        assert told.endswith("Offer one to three actions again.")


@pytest.mark.parametrize(
    "later", [[], [says("la la")], [status(401)]], ids=["the same", "garbage", "refused"]
)
def test_the_valid_candidates_are_kept_where_the_others_are_not_repaired(
    later: list[Answer],
) -> None:
    wrong = _offer(("a", "restart", "db"), ("b", "restart", "moon"))
    with serving(says(wrong), *later) as server:
        policy, _models = seated(server)
        assert [tuple(each) for each in policy.candidates(first(), SRE)] == [(RESTART, "a")]
        assert not trouble_of(policy)


def test_more_than_three_are_sent_back_and_the_first_three_are_kept() -> None:
    targets = ("db", "payments", "cart", "search")
    with serving(_restarts(*targets)) as server:
        policy, models = seated(server, ModelSettings(ModelMode.TOOLS, timeout=5))
        found = policy.candidates(first(), SRE)
        assert [each.action.target for each in found] == ["db", "payments", "cart"]
        assert figures(models)["repairs"] == 2
        told = server.asked[1]["messages"][-1]["content"]
        assert "there are 4 actions: offer 3 at most." in told


def test_a_model_that_offers_nothing_has_trouble_and_no_candidates() -> None:
    with serving(says("la la la")) as server:
        policy, _models = seated(server)
        assert policy.candidates(first(), SRE) == ()
        assert "gave no valid action" in trouble_of(policy)


@pytest.mark.parametrize("mode", ModelMode)
def test_a_copilot_is_told_that_it_may_offer_three(mode: ModelMode) -> None:
    with serving(says(THREE)) as server:
        policy, _models = seated(server, ModelSettings(mode, timeout=5))
        policy.candidates(first(), SRE)
        policy(first(), SRE)
        for_person, for_seat = (body["messages"][0]["content"] for body in server.asked)
        assert "you are the copilot of the person in this seat" in for_person
        assert "copilot" not in for_seat


def test_the_schema_of_an_offer_has_one_action_and_two_that_may_be_null() -> None:
    with serving(says(THREE)) as server:
        policy, _models = seated(server)
        policy.candidates(first(), SRE)
        form = server.asked[0]["response_format"]["json_schema"]
        schema = form["schema"]
        Draft202012Validator.check_schema(schema)
        valid = Draft202012Validator(schema).is_valid
        written = json.loads(THREE)
        for candidate in written.values():
            candidate["action"]["args"].setdefault("say", None)
            if candidate["action"]["action_type"] == "restart":
                candidate["action"]["args"].setdefault("instance", None)
        assert form["strict"]
        assert valid(written)
        assert valid({**written, "second": None, "third": None})
        assert not valid({**written, "first": None})
        assert not valid({**written, "fourth": written["first"]})
        assert not valid(written["first"])


def test_a_compact_prompt_has_what_matters_most_in_about_a_thousand_tokens() -> None:
    settings = ModelSettings(timeout=5, compact=True)
    with serving(GOOD) as server:
        policy, _models = seated(server, settings)
        policy(first(), SRE)
        (body,) = server.asked
    rules, told = (message["content"] for message in body["messages"])
    assert told == render_compact(first())
    assert estimated_tokens(rules) + estimated_tokens(told) <= COMPACT_TOKENS
    assert estimated_tokens(render_observation(first())) > COMPACT_TOKENS
