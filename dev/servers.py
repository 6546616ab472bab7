"""PostgreSQL, Redis and nginx: whether they answer, and where their binaries are."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path
from urllib.parse import urlsplit

from dev.console import CannotContinue

POSTGRESQL_PORT = 5432
REDIS_PORT = 6379
# The servers that the fault tests start themselves.
BINARIES = ("initdb", "postgres", "redis-server", "nginx")
# Debian keeps PostgreSQL's binaries out of the PATH.
DEBIAN_BINARIES = Path("/usr/lib/postgresql")


def is_listening(url: str, default_port: int) -> bool:
    """Whether something listens at the address of this URL. Raises `ValueError` for an invalid one."""
    address = urlsplit(url)
    try:
        target = (address.hostname or "127.0.0.1", address.port or default_port)
        socket.create_connection(target, timeout=2).close()
    except OSError:
        return False
    return True


def missing_binaries() -> list[str]:
    """Return the names of the servers whose binaries are missing on this machine."""
    return [name for name in BINARIES if _find_binary(name) is None]


def server_binary(name: str) -> str:
    """Return the path of a server's binary, of the newest version. Raises `CannotContinue`."""
    path = _find_binary(name)
    if path is None:
        raise CannotContinue(f"There is no {name} on this machine.")
    return path


def _find_binary(name: str) -> str | None:
    versions = sorted(DEBIAN_BINARIES.glob("*/bin"), key=lambda place: float(place.parent.name), reverse=True)
    places = [os.environ.get("PATH", ""), *map(str, versions)]
    return shutil.which(name, path=os.pathsep.join(places))


def check_services() -> None:
    """Raise `CannotContinue` if the server of DATABASE_URL or REDIS_URL does not answer."""
    for variable, schemes, name, port in (
        ("DATABASE_URL", ("postgres", "postgresql"), "PostgreSQL", POSTGRESQL_PORT),
        ("REDIS_URL", ("redis", "rediss"), "Redis", REDIS_PORT),
    ):
        url = os.environ.get(variable, "")
        if urlsplit(url).scheme in schemes and not is_listening(url, port):
            raise CannotContinue(f"No {name} answers at the address in {variable}. Start it, or unset {variable}.")
