"""What the faults did: each one that struck, and what the client did then, the newest last."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime

from billing.sandbox.body import Body

_KEPT = 100
_FOLLOWED = 10


@dataclass(frozen=True, slots=True)
class Later:
    """What came after: a request of the same key, or a try to deliver the same event."""

    at: datetime
    said: str


@dataclass
class Strike:
    """A fault that struck: ``trail`` is by what its sequel is known, ``event`` the event's id where it was one's."""

    kind: str
    target: str
    trail: str
    key: str = ""
    event: str = ""
    answered: str = "nothing yet"
    write: str = ""
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    later: list[Later] = field(default_factory=list)

    def body(self) -> Body:
        """The strike as it is answered."""
        told = {
            name: value
            for name, value in asdict(self).items()
            if value and name not in ("trail", "at", "later")
        }
        later = [{"at": one.at.isoformat(), "said": one.said} for one in self.later]
        return {**told, "at": self.at.isoformat(), "later": later, "object": "strike"}


_strikes: deque[Strike] = deque()
_trails: dict[str, Strike] = {}
_guard = threading.Lock()


def note(strike: Strike) -> Strike:
    """Write a strike down; the one before it on the same trail learns of it."""
    follow(strike.trail, f"met {strike.kind}")
    with _guard:
        _strikes.append(strike)
        _trails[strike.trail] = strike
        if len(_strikes) > _KEPT:
            oldest = _strikes.popleft()
            if _trails.get(oldest.trail) is oldest:
                del _trails[oldest.trail]
    return strike


def follows(trail: str) -> bool:
    """Whether a fault has struck on this trail; almost always not."""
    return trail in _trails


def follow(trail: str, said: str) -> None:
    """Write down what came after a strike, where there was one."""
    if trail not in _trails:
        return
    with _guard:
        strike = _trails.get(trail)
        if strike and len(strike.later) < _FOLLOWED:
            strike.later.append(Later(datetime.now(UTC), said))


def newest() -> list[Strike]:
    """The last strikes, the newest first."""
    with _guard:
        return [replace(strike, later=list(strike.later)) for strike in reversed(_strikes)]


def clear() -> None:
    """Forget what struck."""
    with _guard:
        _strikes.clear()
        _trails.clear()
