"""The sheets of a lesson: what the learner reads, and what the instructor has besides."""

from __future__ import annotations

from collections.abc import Iterator

from chaosops.env.world_sim import Scenario
from chaosops.play.formatting import ROLE_NAMES, in_words
from chaosops.play.lessons.path import Lesson, LessonMark
from chaosops.play.wording import proposal_words


def learner_lines(lesson: Lesson, mark: LessonMark) -> Iterator[str]:
    """Yield what the learner reads: the questions only after the game, as they give much away."""
    yield f"{lesson.title} ({lesson.id})"
    yield lesson.goal
    yield ""
    yield f"Your seat: {ROLE_NAMES[lesson.role]}. Time: about {lesson.minutes} min, with the talk."
    yield f"Play it: {lesson.command}"
    yield f"Look up first: {', '.join(lesson.glossary)} (chaosops glossary WORD)"
    yield ""
    yield "Watch for:"
    yield from (f"- {item}" for item in lesson.watch)
    yield ""
    if mark is LessonMark.OPEN:
        yield "When you have played it to its end, there are questions here to talk about."
        return
    yield "To talk about:"
    yield from (f"- {question.ask}" for question in lesson.questions)


def instructor_sheet(lesson: Lesson) -> str:
    """Return the instructor's sheet as Markdown. It gives the answer away.

    Raises:
        ScenarioError: The incident is missing or broken.
    """
    scenario = Scenario.load(lesson.scenario, lesson.seed)
    incident, told = scenario.incident, scenario.incident.debrief
    place = " and ".join(dict.fromkeys(fault.place for fault in incident.faults))
    lines = [
        f"# {lesson.title}: instructor's sheet",
        "",
        lesson.goal,
        "",
        "| | |",
        "| --- | --- |",
        f"| incident | {scenario.title} (`{lesson.scenario}`, seed {lesson.seed}) |",
        f"| learner's seat | {ROLE_NAMES[lesson.role]} |",
        f"| time | about {lesson.minutes} min, with the talk |",
        f"| start | `{lesson.command}` |",
        f"| look up first | {', '.join(lesson.glossary)} |",
        "",
        "## What learners watch for",
        "",
        *(f"- {item}" for item in lesson.watch),
        "",
        "## Questions, and what to expect",
        "",
    ]
    for number, question in enumerate(lesson.questions, 1):
        lines += [f"{number}. **{question.ask}** {question.expect}"]
    evidence = [item for item in incident.evidence if scenario.failure_type in item.supports]
    lines += [
        "",
        "## The answer",
        "",
        f"The cause is **{in_words(lesson.cause)}** at {place}. {told.happened}",
        "",
        "What tells it:",
        "",
        *(f"- {item.source.value} of {item.at}: {item.text}" for item in evidence),
        "",
        "The best line:",
        "",
    ]
    for step in incident.solution:
        move = {"action_type": step.action, "target": step.target, "args": step.arguments()}
        lines.append(f"- {ROLE_NAMES[step.role]}: {proposal_words(move)}")
    lines += ["", "What tempts, and why it is wrong:", ""]
    for wrong in incident.tempting:
        move = {"action_type": wrong.action, "target": wrong.target, "args": wrong.arguments()}
        lines.append(f"- {proposal_words(move)}: {wrong.why}")
    lines += [
        "",
        f"What can mislead here: {told.misleading}",
        "",
        f"The lesson: {told.lesson}",
        "",
        f"A public incident of this kind: {told.same_kind}.",
        "",
        "## Afterwards",
        "",
        "Have the post-mortem written from the recording, and read it together:",
        "`chaosops recordings postmortem FILE --out incident.md`.",
        "",
    ]
    return "\n".join(lines)
