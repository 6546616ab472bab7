"""PostgreSQL and Redis, where they are used: whether anything answers at their addresses."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path
from urllib.parse import urlsplit

from dev.console import CannotContinue

POSTGRESQL_PORT = 5432
REDIS_PORT = 6379
# What the tests of faults run of their own.
BINARIES = ("initdb", "postgres", "redis-server")
# Debian keeps PostgreSQL's out of the PATH.
DEBIANS_PLACES = Path("/usr/lib/postgresql")


def answers(url: str, default_port: int) -> bool:
    """Whether something listens at the address of this URL. Raises `ValueError` when it is none."""
    address = urlsplit(url)
    try:
        target = (address.hostname or "127.0.0.1", address.port or default_port)
        socket.create_connection(target, timeout=2).close()
    except OSError:
        return False
    return True


def missing_binaries() -> list[str]:
    """Which servers' binaries are not on this machine."""
    return [name for name in BINARIES if _found(name) is None]


def binary(name: str) -> str:
    """Return where a server's binary is, the newest version's where there are several. Raises `CannotContinue`."""
    found = _found(name)
    if found is None:
        raise CannotContinue(f"There is no {name} on this machine.")
    return found


def _found(name: str) -> str | None:
    versions = sorted(DEBIANS_PLACES.glob("*/bin"), key=lambda place: float(place.parent.name), reverse=True)
    places = [os.environ.get("PATH", ""), *map(str, versions)]
    return shutil.which(name, path=os.pathsep.join(places))


def check_services() -> None:
    """Raise `CannotContinue` when DATABASE_URL or REDIS_URL names a server that does not answer."""
    for variable, schemes, name, port in (
        ("DATABASE_URL", ("postgres", "postgresql"), "PostgreSQL", POSTGRESQL_PORT),
        ("REDIS_URL", ("redis", "rediss"), "Redis", REDIS_PORT),
    ):
        url = os.environ.get(variable, "")
        if urlsplit(url).scheme in schemes and not answers(url, port):
            raise CannotContinue(
                f"No {name} answers at the address in {variable}. Start it, or unset {variable}."
            )
