"""What a check of the provider's site found."""

from dataclasses import asdict, dataclass
from enum import StrEnum

# Where Chargebee's own documentation finds the settings of a site.
SETTINGS = "Settings > Configure Chargebee"


class State(StrEnum):
    """How what was found compares with what is needed.

    `LOOK` needs a person's judgment; `UNREADABLE` is what the API does not tell.
    """

    OK = "ok"
    WRONG = "wrong"
    LOOK = "look"
    UNREADABLE = "cannot be read"


@dataclass(frozen=True)
class Finding:
    """A line of the table: what the portal needs, what the site has, and what to do about it, empty for nothing."""

    topic: str
    needed: str
    found: str
    state: State
    todo: str = ""

    @property
    def is_wrong(self) -> bool:
        """Whether the portal cannot work with what was found."""
        return self.state is State.WRONG

    def as_dict(self) -> dict[str, str]:
        """Return the line as JSON has it."""
        return {name: str(value) for name, value in asdict(self).items()}


@dataclass(frozen=True)
class Topic:
    """Makes the findings of one topic."""

    name: str

    def judge_value(self, needed: str, found: str, *, is_right: bool, todo: str) -> Finding:
        """Return a finding that is ok, or wrong with what to do."""
        return self.ok_finding(needed, found) if is_right else self.wrong_finding(needed, found, todo)

    def ok_finding(self, needed: str, found: str) -> Finding:
        """Return a finding about what is as needed."""
        return Finding(self.name, needed, found, State.OK)

    def wrong_finding(self, needed: str, found: str, todo: str) -> Finding:
        """Return a finding about what is not as needed."""
        return Finding(self.name, needed, found, State.WRONG, todo)

    def open_finding(self, needed: str, found: str, todo: str) -> Finding:
        """Return a finding that a person has to judge."""
        return Finding(self.name, needed, found, State.LOOK, todo)

    def unreadable_finding(self, needed: str, *, place: str, found: str = "the API does not say") -> Finding:
        """Return a finding about what the API does not tell; `place` is where Chargebee's pages show it."""
        return Finding(self.name, needed, found, State.UNREADABLE, f"Look at {place}.")
