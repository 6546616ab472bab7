"""The strikes of faults, each with what the client did next."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime

from chargebee_sandbox.body import Body

_MAX_STRIKES = 100
_MAX_SEQUELS = 10


@dataclass(frozen=True, slots=True)
class Sequel:
    """What followed a strike: a request with the same key, or an attempt to deliver the same event."""

    at: datetime
    said: str


@dataclass
class Strike:
    """The strike of a fault: ``trail`` identifies its sequels, ``event`` is the id of the event it struck."""

    kind: str
    target: str
    trail: str
    key: str = ""
    event: str = ""
    answered: str = "nothing yet"
    write: str = ""
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    later: list[Sequel] = field(default_factory=list)

    def as_body(self) -> Body:
        """Return the strike as the API has it."""
        attributes = {
            name: value for name, value in asdict(self).items() if value and name not in ("trail", "at", "later")
        }
        later = [{"at": sequel.at.isoformat(), "said": sequel.said} for sequel in self.later]
        return {**attributes, "at": self.at.isoformat(), "later": later, "object": "strike"}


_strikes: deque[Strike] = deque()
_strikes_by_trail: dict[str, Strike] = {}
_guard = threading.Lock()


def record_strike(strike: Strike) -> Strike:
    """Record a strike; it also becomes a sequel of the previous strike on the same trail."""
    record_sequel(strike.trail, f"met {strike.kind}")
    with _guard:
        _strikes.append(strike)
        _strikes_by_trail[strike.trail] = strike
        if len(_strikes) > _MAX_STRIKES:
            oldest = _strikes.popleft()
            if _strikes_by_trail.get(oldest.trail) is oldest:
                del _strikes_by_trail[oldest.trail]
    return strike


def has_strike(trail: str) -> bool:
    """Return whether a fault has struck on this trail."""
    return trail in _strikes_by_trail


def record_sequel(trail: str, outcome: str) -> None:
    """Record what followed a strike; do nothing on a trail without one."""
    if trail not in _strikes_by_trail:
        return
    with _guard:
        strike = _strikes_by_trail.get(trail)
        if strike and len(strike.later) < _MAX_SEQUELS:
            strike.later.append(Sequel(datetime.now(UTC), outcome))


def recent_strikes() -> list[Strike]:
    """Return the latest strikes, newest first."""
    with _guard:
        return [replace(strike, later=list(strike.later)) for strike in reversed(_strikes)]


def clear_strikes() -> None:
    """Remove all strikes."""
    with _guard:
        _strikes.clear()
        _strikes_by_trail.clear()
