"""PostgreSQL and Redis servers, run from the machine's binaries, that tests can stop, kill and empty."""

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

from dev.servers import server_binary

START_SECONDS = 120.0
# Durability is not needed: the data is deleted after the tests.
WITHOUT_DURABILITY = ("-c", "fsync=off", "-c", "full_page_writes=off")


def _unprivileged_user() -> dict[str, Any]:
    """Return the process options of an unprivileged user, since PostgreSQL refuses to run as root."""
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

    def start_server(self) -> None:
        """Start the server and wait until it answers. Raises RuntimeError with its log if it does not."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.build_command(), stdout=log, stderr=log, start_new_session=True, **self.process_options()
            )
        deadline = time.monotonic() + START_SECONDS
        while not self.is_answering():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"it did not start:\n{self.log.read_text()}")
            time.sleep(0.02)

    def stop_process(self, number: signal.Signals) -> None:
        """Send the main process a signal and wait until it has ended."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(timeout=START_SECONDS)
            self.process = None

    @abstractmethod
    def build_command(self) -> Sequence[str]:
        """Return the command line."""

    def process_options(self) -> dict[str, Any]:
        """Return the options of `subprocess.Popen`."""
        return {}

    @abstractmethod
    def is_answering(self) -> bool:
        """Return whether the server answers."""


class PostgreSQL(Server):
    """A new cluster with one empty database."""

    def __init__(self, port: int, folder: Path) -> None:
        super().__init__(port, folder / "postgresql.log")
        self.data = folder / "postgresql"
        self.data.mkdir(mode=0o700)
        owner = _unprivileged_user()
        if owner:
            os.chown(self.data, owner["user"], owner["group"])
        initdb = [server_binary("initdb"), "-D", str(self.data), "-U", "portal", "-A", "trust", "-E", "UTF8"]
        subprocess.run([*initdb, "--locale=C", "--no-sync"], check=True, capture_output=True, cwd="/", **owner)

    @property
    def url(self) -> str:
        """The URL of its database."""
        return self.url_at_port(self.port)

    def url_at_port(self, port: int) -> str:
        """Return the URL with another port, such as a relay's."""
        return f"postgres://portal@127.0.0.1:{port}/postgres"

    def build_command(self) -> Sequence[str]:
        """Return the command line of a server that only this machine can reach."""
        options = (
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "unix_socket_directories=",
            "-c",
            "max_connections=40",
        )
        return [
            server_binary("postgres"),
            "-D",
            str(self.data),
            "-p",
            str(self.port),
            *options,
            *WITHOUT_DURABILITY,
        ]

    def process_options(self) -> dict[str, Any]:
        """Return the options that make it run as an unprivileged user."""
        return {**_unprivileged_user(), "cwd": "/"}

    def is_answering(self) -> bool:
        """Return whether it accepts connections, which it does not during crash recovery."""
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def crash_server(self) -> None:
        """Stop it without a shutdown: connections break, and the next start recovers the committed data."""
        self.stop_process(signal.SIGQUIT)

    def open_connection(self) -> psycopg.Connection[Any]:
        """Open a superuser's connection in autocommit mode."""
        return psycopg.connect(self.url, autocommit=True)


class PgBouncer(Server):
    """A pool of few connections in front of a PostgreSQL server, in transaction mode, as docs/deployment.md has it."""

    def __init__(self, port: int, folder: Path, database: PostgreSQL, *, connections: int) -> None:
        super().__init__(port, folder / "pgbouncer.log")
        self.database = database
        users, self.settings = folder / "pgbouncer.users", folder / "pgbouncer.ini"
        users.write_text('"portal" ""\n')
        self.settings.write_text(
            f"""
            [databases]
            * = host=127.0.0.1 port={database.port}
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = {port}
            unix_socket_dir =
            auth_type = trust
            auth_file = {users}
            pool_mode = transaction
            default_pool_size = {connections}
            ignore_startup_parameters = options, extra_float_digits
            """
        )

    @property
    def url(self) -> str:
        """The URL that the portal's processes get."""
        return f"{self.database.url_at_port(self.port)}?disable_server_side_cursors=true"

    def build_command(self) -> Sequence[str]:
        """Return the command line."""
        return ["pgbouncer", "-q", str(self.settings)]

    def process_options(self) -> dict[str, Any]:
        """Return the options that make it run as an unprivileged user."""
        return {**_unprivileged_user(), "cwd": "/"}

    def is_answering(self) -> bool:
        """Return whether it hands connections on."""
        try:
            self.open_connection().close()
        except psycopg.OperationalError:
            return False
        return True

    def open_connection(self) -> psycopg.Connection[Any]:
        """Open a connection in autocommit mode."""
        return psycopg.connect(self.database.url_at_port(self.port), autocommit=True, connect_timeout=2)


class Redis(Server):
    """A Redis server without persistence."""

    def __init__(self, port: int, folder: Path) -> None:
        super().__init__(port, folder / "redis.log")

    def url_at_port(self, port: int) -> str:
        """Return the URL with another port, such as a relay's."""
        return f"redis://127.0.0.1:{port}/0"

    def build_command(self) -> Sequence[str]:
        """Return the command line."""
        server = server_binary("redis-server")
        return [server, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]

    def process_options(self) -> dict[str, Any]:
        """Return the working directory."""
        return {"cwd": self.log.parent}

    def is_answering(self) -> bool:
        """Return whether it accepts commands."""
        try:
            return bool(self.open_client().ping())
        except redis.RedisError:
            return False

    def open_client(self) -> redis.Redis:
        """Open a client."""
        return redis.Redis(port=self.port, socket_timeout=2)

    def crash_server(self) -> None:
        """Kill it; its data is lost."""
        self.stop_process(signal.SIGKILL)
