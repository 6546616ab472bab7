"""Recordings of a trial: what the provider answered and which events it sent, step by step, without personal data.

A recording has no ids, names, addresses or amounts: of an answer it keeps the HTTP status, the error code, and the
names and types of its attributes. Of values it keeps those of attributes called `…status` alone.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from billing.gateway.http.transport import Exchange

FORMAT = 1
API_PREFIX = "/api/v2"
# A part of a path that is no id: resources and operations have lower-case letters and underscores only.
WORD = re.compile(r"[a-z_]+\Z")
# How often the time machine is asked depends on its speed.
POLLED = "GET /time_machines/delorean"
# A site's own attributes, whose names or contents could tell something about its subscribers.
CUSTOM_FIELD, FREE_FORM = "cf_", ("meta_data", "metadata", "additional_information", "error_json")
TYPE_NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "list"}


@dataclass(frozen=True)
class RecordedAnswer:
    """All answers of one status and error code to an operation; `attributes` has the types by dotted path.

    `replayed` tells those that repeat the first answer to an idempotency key.
    """

    operation: str
    status: int
    error_code: str = ""
    replayed: bool = False
    attributes: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The operation with its outcome, such as `POST /subscriptions/{id}/pause: 409 invalid_state_for_pause`."""
        words = (str(self.status), self.error_code, "replayed" if self.replayed else "")
        return f"{self.operation}: {' '.join(filter(None, words))}"


@dataclass(frozen=True)
class RecordedStep:
    """A step of the trial: its answers, and the types of its events in the order of the provider's feed."""

    name: str
    answers: list[RecordedAnswer]
    events: list[str]


@dataclass(frozen=True)
class Recording:
    """The steps of a trial."""

    steps: list[RecordedStep] = field(default_factory=list)

    def save(self, path: Path) -> None:
        """Write the recording as JSON. Raises OSError."""
        body = {"format": FORMAT, "steps": [asdict(step) for step in self.steps]}
        path.write_text(json.dumps(body, indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> "Recording":
        """Return a recording that was saved. Raises ValueError for another format."""
        body = json.loads(path.read_text())
        if body.get("format") != FORMAT:
            raise ValueError(f"{path} is not a recording of format {FORMAT}")
        return cls(
            [
                RecordedStep(step["name"], [RecordedAnswer(**answer) for answer in step["answers"]], step["events"])
                for step in body["steps"]
            ]
        )


def record_step(name: str, exchanges: Iterable[Exchange], events: Iterable[Mapping[str, Any]]) -> RecordedStep:
    """Return the recording of a step. Requests without an answer are left out."""
    answers: dict[str, RecordedAnswer] = {}
    for exchange in exchanges:
        if exchange.status is not None and (answer := _record_answer(exchange, exchange.status)).operation != POLLED:
            known = answers.get(answer.key)
            answers[answer.key] = answer if known is None else _merge_answers(known, answer)
    return RecordedStep(name, list(answers.values()), [str(event["event_type"]) for event in events])


def find_differences(recorded: Recording, replayed: Recording) -> list[str]:
    """Return where a trial elsewhere went another way than a recorded one; none for the same steps.

    How often an event came is not compared: it depends on the site's settings, such as the number of retries. Nor is
    the order of events, because those of one second have none.
    """
    others = {step.name: step for step in replayed.steps}
    return [
        f"{step.name}: {difference}"
        for step in recorded.steps
        for difference in _step_differences(step, others.get(step.name))
    ]


def _step_differences(recorded: RecordedStep, replayed: RecordedStep | None) -> Iterator[str]:
    if replayed is None:
        yield "the step is missing"
        return
    yield from _set_differences("event", set(recorded.events), set(replayed.events))
    answers = {answer.key: answer for answer in recorded.answers}
    others = {answer.key: answer for answer in replayed.answers}
    yield from _set_differences("answer", set(answers), set(others))
    for key in answers.keys() & others.keys():
        yield from _attribute_differences(key, answers[key].attributes, others[key].attributes)


def _set_differences(kind: str, recorded: set[str], replayed: set[str]) -> Iterator[str]:
    yield from (f"{kind} {name} is missing" for name in sorted(recorded - replayed))
    yield from (f"{kind} {name} is not in the recording" for name in sorted(replayed - recorded))


def _attribute_differences(key: str, recorded: Mapping[str, str], replayed: Mapping[str, str]) -> Iterator[str]:
    yield from (f"{key}: {difference}" for difference in _set_differences("attribute", {*recorded}, {*replayed}))
    for name in sorted(recorded.keys() & replayed.keys()):
        if recorded[name] != replayed[name]:
            yield f"{key}: attribute {name} is {replayed[name]}, and {recorded[name]} in the recording"


def _record_answer(exchange: Exchange, status: int) -> RecordedAnswer:
    path = exchange.path.partition(API_PREFIX)[2] or exchange.path
    operation = f"{exchange.method.upper()} {'/'.join(_neutral_part(part) for part in path.split('/'))}"
    try:
        body = json.loads(exchange.body)
    except ValueError:
        body = {}
    error_code = str(body.get("api_error_code", "")) if isinstance(body, dict) else ""
    return RecordedAnswer(operation, status, error_code, exchange.replayed, _merge_types(_attribute_types(body)))


def _neutral_part(part: str) -> str:
    return part if not part or WORD.match(part) else "{id}"


def _merge_answers(known: RecordedAnswer, answer: RecordedAnswer) -> RecordedAnswer:
    attributes = _merge_types([*known.attributes.items(), *answer.attributes.items()])
    return replace(known, attributes=attributes)


def _merge_types(types: Iterable[tuple[str, str]]) -> dict[str, str]:
    merged: dict[str, set[str]] = {}
    for name, kind in types:
        merged.setdefault(name, set()).update(kind.split("|"))
    return {name: "|".join(sorted(merged[name])) for name in sorted(merged)}


def _attribute_types(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and the type of every attribute; rows of a list share their paths."""
    if isinstance(value, dict):
        for name, part in value.items():
            if not name.startswith(CUSTOM_FIELD):
                yield from _named_attribute_types(name, part, f"{path}.{name}".removeprefix("."))
    elif isinstance(value, list):
        for row in value:
            yield from _attribute_types(row, f"{path}[]")


def _named_attribute_types(name: str, value: Any, path: str) -> Iterator[tuple[str, str]]:
    kind = TYPE_NAMES.get(type(value), "null")
    # The state of a journey depends on the moment.
    if name.endswith("status") and name != "time_travel_status" and isinstance(value, str):
        kind = f"{kind} {value}"
    yield path, kind
    if name not in FREE_FORM:
        yield from _attribute_types(value, path)
