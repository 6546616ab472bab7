"""PostgreSQL and Redis of our own, from the machine's binaries: these may be stopped, killed, emptied and filled up."""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
import redis

from dev.services import binary

START_SECONDS = 30.0
# Nothing here outlives the tests, so nothing waits for a disk.
QUICKLY = ("-c", "fsync=off", "-c", "full_page_writes=off")


def _nobody() -> dict[str, Any]:
    """How to run what refuses to run as root."""
    if os.geteuid():
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


class Server(ABC):
    """A server process that can be killed and started again on the same port."""

    def __init__(self, port: int, log: Path) -> None:
        self.port = port
        self.log = log
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers. Raises `RuntimeError` with the log when it does not."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdout=log, stderr=log, start_new_session=True, **self.started_as()
            )
        deadline = time.monotonic() + START_SECONDS
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"it did not start:\n{self.log.read_text()}")
            time.sleep(0.02)

    def end(self, number: signal.Signals) -> None:
        """Send the leader a signal and wait until it has ended."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(timeout=START_SECONDS)
            self.process = None

    @abstractmethod
    def command(self) -> Sequence[str]:
        """What to run."""

    def started_as(self) -> dict[str, Any]:
        """For whom and where to run it."""
        return {}

    @abstractmethod
    def answers(self) -> bool:
        """Whether it serves."""


class PostgreSQL(Server):
    """A cluster of its own, with one empty database."""

    def __init__(self, port: int, folder: Path) -> None:
        super().__init__(port, folder / "postgresql.log")
        self.data = folder / "postgresql"
        self.data.mkdir(mode=0o700)
        who = _nobody()
        if who:
            os.chown(self.data, who["user"], who["group"])
        made = [binary("initdb"), "-D", str(self.data), "-U", "portal", "-A", "trust", "-E", "UTF8"]
        subprocess.run([*made, "--locale=C", "--no-sync"], check=True, capture_output=True, cwd="/", **who)

    @property
    def url(self) -> str:
        """Its address, and its one database's."""
        return self.url_by(self.port)

    def url_by(self, port: int) -> str:
        """Return its address by way of another port."""
        return f"postgres://portal@127.0.0.1:{port}/postgres"

    def command(self) -> Sequence[str]:
        """What to run: a server that only this machine reaches."""
        own = (
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "unix_socket_directories=",
            "-c",
            "max_connections=40",
        )
        return [binary("postgres"), "-D", str(self.data), "-p", str(self.port), *own, *QUICKLY]

    def started_as(self) -> dict[str, Any]:
        """Never as root, which it refuses."""
        return {**_nobody(), "cwd": "/"}

    def answers(self) -> bool:
        """Whether it takes connections; it does not yet while it recovers."""
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self) -> None:
        """End it without a word to anybody, as a crash does; what was committed is there after the next start."""
        self.end(signal.SIGQUIT)

    def connect(self) -> psycopg.Connection[Any]:
        """Return an administrator's connection, each statement of which is committed by itself."""
        return psycopg.connect(self.url, autocommit=True)


class Redis(Server):
    """A Redis that keeps nothing when it ends."""

    def __init__(self, port: int, folder: Path) -> None:
        super().__init__(port, folder / "redis.log")

    def url_by(self, port: int) -> str:
        """Return its address by way of another port."""
        return f"redis://127.0.0.1:{port}/0"

    def command(self) -> Sequence[str]:
        """What to run."""
        server = binary("redis-server")
        return [server, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]

    def started_as(self) -> dict[str, Any]:
        """Where it would write, if it wrote."""
        return {"cwd": self.log.parent}

    def answers(self) -> bool:
        """Whether it takes commands."""
        try:
            return bool(self.client().ping())
        except redis.RedisError:
            return False

    def client(self) -> redis.Redis:
        """Return a connection to it."""
        return redis.Redis(port=self.port, socket_timeout=2)

    def stop(self) -> None:
        """Kill it; whatever it held is gone."""
        self.end(signal.SIGKILL)
