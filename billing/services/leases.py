"""Until when whoever works on a row holds it, and when one is due again: told by one clock, the database's.

Who took a row up and who looks at it next may be on different machines. If each went by its own clock, one that is a
minute ahead would take over what others are at, and one that is behind would leave it lying.
"""

from datetime import datetime

from accounts import clock


def now() -> datetime:
    """Return the real time, by the clock that all machines share."""
    return clock.now()
