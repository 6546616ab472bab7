"""The portal as `make run` starts it, with its own data, and a visitor who uses it.

`python -m e2e.support.demo_portal FOLDER` prepares the data that the tests start with.
"""

from __future__ import annotations

import email
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from email.message import EmailMessage
from email.policy import default as modern_policy
from pathlib import Path
from threading import Timer
from typing import Any

from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 180
MAIL_SECONDS = 120
COMMAND_SECONDS = 600
IDLE_SECONDS = 0.7
SANDBOX_DATABASE = "sandbox.sqlite3"
PORTAL_DATABASE = "db.sqlite3"
CODE_PATTERN = re.compile(r"^\s*(\d{6})\s*$", re.MULTILINE)
ACCOUNTS = ("ava", "ben", "carla", "dan", "ella", "finn", "gia", "hugo", "ivy", "jo", "kim")
OPEN_SESSIONS = """
import json
from accounts.models import Account, SessionToken
users = {name: Account.objects.get(customer__provider_id=name).user for name in names}
print(json.dumps({name: SessionToken.objects.create(user=user)[1] for name, user in users.items()}))
"""
LAST_NIGHTS = 5
SKIP_DAYS = """
from datetime import timedelta
from billing import clock
from billing.mirror import provider_clock
provider_clock.move_clocks_to(clock.billing_now() + timedelta(days={}))
"""
# After the first night, all jobs have ended, no event waits, and every invoice PDF is made.
FIRST_NIGHT_IS_OVER = """
    SELECT EXISTS (SELECT 1 FROM billing_jobrun WHERE job = 'reconcile'),
           NOT EXISTS (SELECT 1 FROM billing_jobrun WHERE finished_at IS NULL),
           NOT EXISTS (SELECT 1 FROM billing_webhookevent WHERE state = 'received'),
           NOT EXISTS (SELECT 1 FROM billing_invoicepdf WHERE state = 'wanted')
"""

# Where it is set, browser tests and `make screenshots` use this brand's host name in place of the one they would.
BRAND = os.environ.get("BRAND", "")


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


class CommandFailed(Exception):
    """A management command failed; the message is what it printed."""


@dataclass
class DemoPortal:
    """A running portal: its processes, data, mail and clock."""

    port: int
    sandbox_port: int
    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    # The process that runs management commands, started by the first one.
    console: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """The portal's base URL."""
        return f"http://127.0.0.1:{self.port}"

    def url_at(self, brand: str) -> str:
        """Return the base URL at a brand's host name; the portal's own if it is empty."""
        return f"http://{brand}.localhost:{self.port}" if brand else self.url

    @property
    def sandbox_url(self) -> str:
        """The sandbox's base URL."""
        return f"http://127.0.0.1:{self.sandbox_port}"

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables of the portal's processes and commands."""
        variables = {
            "PORT": self.port,
            "SANDBOX_PORT": self.sandbox_port,
            "VAR_DIR": self.folder,
            "PORTAL_ENV": "demo",
        }
        return {**os.environ, **self.settings, **{name: str(value) for name, value in variables.items()}}

    def start(self) -> None:
        """Start everything and wait until it serves. Raises RuntimeError with the log if it does not."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "dev/run.py"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.wait_until_serving()

    def wait_until_serving(self) -> None:
        """Wait until the web server answers. Raises RuntimeError with the log if it does not."""
        deadline = time.monotonic() + START_SECONDS
        while not self._is_serving():
            if self.process is None or self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"the portal did not start:\n{self._log.read_text()}")
            time.sleep(0.1)

    def wait_for_first_night(self) -> None:
        """Wait until the first nightly jobs have finished and every invoice PDF is made. Raises TimeoutError."""
        deadline = time.monotonic() + START_SECONDS
        with closing(sqlite3.connect(self.folder / PORTAL_DATABASE, timeout=20)) as database:
            while not all(database.execute(FIRST_NIGHT_IS_OVER).fetchone()):
                if time.monotonic() > deadline:
                    raise TimeoutError("the first night of the portal did not end")
                time.sleep(0.2)

    @contextmanager
    def serve_with(self, **settings: str) -> Iterator[DemoPortal]:
        """Run a second web server of this portal, with its own settings, during the block."""
        second = replace(self, port=free_port(), settings={**self.settings, **settings}, process=None, console=None)
        command = [sys.executable, "-m", "gunicorn", "-c", "portal/gunicorn_conf.py", "portal.wsgi"]
        with self._log.open("ab") as log:
            second.process = subprocess.Popen(command, cwd=ROOT, env=second.environment, stdout=log, stderr=log)
        try:
            second.wait_until_serving()
            yield second
        finally:
            second.stop()

    def restore_data(self, prepared: Path) -> None:
        """Restore the data that the portal was started with, while its processes run on: they cache none of it.

        It first waits until nothing was written for a while, so that no worker is in the middle of a task.
        """
        self._wait_until_idle()
        for name in (SANDBOX_DATABASE, PORTAL_DATABASE):
            # Immutable, so that SQLite creates no journal beside it.
            source = sqlite3.connect(f"{(prepared / name).as_uri()}?immutable=1", uri=True)
            with closing(source), closing(sqlite3.connect(self.folder / name, timeout=20)) as target:
                source.backup(target)
        for mail in (self.folder / "mail").glob("*.log"):
            mail.unlink()
        os.truncate(self._log, 0)

    def _wait_until_idle(self) -> None:
        deadline = time.monotonic() + MAIL_SECONDS
        with ExitStack() as opened:
            databases = [
                opened.enter_context(closing(sqlite3.connect(self.folder / name)))
                for name in (SANDBOX_DATABASE, PORTAL_DATABASE)
            ]
            last_versions, since = None, time.monotonic()
            while time.monotonic() < min(since + IDLE_SECONDS, deadline):
                # Changes whenever another connection has written.
                versions = [database.execute("PRAGMA data_version").fetchone() for database in databases]
                if versions != last_versions:
                    last_versions, since = versions, time.monotonic()
                time.sleep(0.05)

    def stop(self) -> None:
        """Stop everything as Ctrl-C would."""
        self.ask_to_stop()
        self.wait_until_stopped()

    def ask_to_stop(self) -> None:
        """Interrupt everything as Ctrl-C would, without waiting for it to stop."""
        if self.console is not None:
            self.console.communicate()
            self.console = None
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)

    def wait_until_stopped(self) -> None:
        """Wait until everything has stopped."""
        if self.process is not None:
            self.process.wait(timeout=60)

    def run_manage(self, *arguments: str) -> str:
        """Run a management command and return its output. Raises CommandFailed with the output."""
        if self.console is None:
            self.console = subprocess.Popen(
                [sys.executable, "-m", "e2e.support.manage_console"],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        commands, answers = self.console.stdin, self.console.stdout
        assert commands is not None
        assert answers is not None
        timeout = Timer(COMMAND_SECONDS, self.console.kill)
        timeout.start()
        try:
            commands.write(f"{json.dumps(arguments)}\n")
            commands.flush()
            line = answers.readline()
        finally:
            timeout.cancel()
        answer: dict[str, Any] = json.loads(line or '{"printed": "it ended without an answer", "failed": true}')
        if answer["failed"]:
            raise CommandFailed(answer["printed"])
        return str(answer["printed"])

    def assert_mirror_matches(self) -> None:
        """Wait until the mirror equals the provider. Raises AssertionError with the differences."""
        deadline = time.monotonic() + MAIL_SECONDS
        while True:
            try:
                self.run_manage("reconcile", "--check")
                return
            except CommandFailed as error:
                if time.monotonic() > deadline:
                    raise AssertionError(str(error)) from error
            time.sleep(0.5)

    def travel(self, duration: str) -> str:
        """Move the billing clock and run what is due on the way; return the command's output."""
        return self.run_manage("timetravel", duration)

    def travel_to_last_nights(self, days: int) -> str:
        """Move the billing clock by days, but run only the last nights; those before pass as in a long outage."""
        self.run_manage("shell", "-v", "0", "-c", SKIP_DAYS.format(max(0, days - LAST_NIGHTS)))
        return self.travel(f"{min(days, LAST_NIGHTS)}d")

    def mails_to(self, address: str) -> list[EmailMessage]:
        """Return the mails to an address, oldest first."""
        return [mail for mail in self._read_mails() if address in str(mail["To"])]

    def wait_for_mail(self, address: str, subject: str) -> EmailMessage:
        """Wait for a mail to an address whose subject contains these words, and return it. Raises TimeoutError."""
        deadline = time.monotonic() + MAIL_SECONDS
        while time.monotonic() < deadline:
            for mail in self.mails_to(address):
                if subject in str(mail["Subject"]):
                    return mail
            time.sleep(0.1)
        raise TimeoutError(f"no mail about {subject!r} was sent to {address}")

    def wait_for_code(self, address: str, *, after: int = 0) -> str:
        """Wait for a sign-in code after the first `after` mails to an address, and return it. Raises TimeoutError."""
        deadline = time.monotonic() + MAIL_SECONDS
        while time.monotonic() < deadline:
            for mail in reversed(self.mails_to(address)[after:]):
                body = mail.get_body(("plain",))
                if body and (code := CODE_PATTERN.search(body.get_content())):
                    return code.group(1)
            time.sleep(0.1)
        raise TimeoutError(f"no code was mailed to {address}")

    def open_sessions(self, *names: str) -> dict[str, str]:
        """Create a session for each account, without the sign-in screen; return the tokens."""
        output = self.run_manage("shell", "-v", "0", "-c", f"names = {names}\n{OPEN_SESSIONS}")
        tokens: dict[str, str] = json.loads(output)
        return tokens

    @property
    def _log(self) -> Path:
        return self.folder / "run.log"

    def _read_mails(self) -> list[EmailMessage]:
        files = sorted((self.folder / "mail").glob("*.log"), key=lambda file: file.stat().st_mtime_ns)
        # A file holds the mails of one connection; each mail ends with a line of dashes.
        parts = [part for file in files for part in file.read_bytes().split(b"\n" + b"-" * 79 + b"\n")]
        return [email.message_from_bytes(part, policy=modern_policy) for part in parts if part.strip()]

    def _is_serving(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.url}/healthz", timeout=1).close()
        except (OSError, urllib.error.URLError):
            return False
        return True


def session_storage_state(token: str, *, origin: str) -> dict[str, Any]:
    """Return the `storage_state` of a browser context that is signed in at an origin."""
    storage = {"origin": origin, "localStorage": [{"name": "token", "value": token}]}
    return {"cookies": [], "origins": [storage]}


def tokens_file(prepared: Path) -> Path:
    """Return the file with the session tokens of prepared data, which is beside the data."""
    return prepared.with_name(f"{prepared.name}-tokens.json")


class Visitor:
    """A person with a browser, a mailbox, and a session token for each account."""

    def __init__(self, demo: DemoPortal, page: Page, tokens: Mapping[str, str]) -> None:
        self.demo = demo
        self.page = page
        self._tokens = tokens

    def sign_in(self, name: str) -> Page:
        """Open the dashboard, signed in as one of the demo's accounts by its token."""
        # The smallest document of the origin whose storage is written.
        self.page.goto("/healthz")
        self.page.evaluate("(token) => localStorage.setItem('token', token)", self._tokens[name])
        self.page.goto("/dashboard")
        return self.page

    def sign_in_by_code(self, name: str) -> Page:
        """Sign in as one of the demo's accounts with the code from the mail; return the page with the dashboard."""
        address = f"{name}@example.com"
        mail_count = len(self.demo.mails_to(address))
        self.page.goto("/")
        self.page.get_by_label("Email address").fill(address)
        self.page.get_by_role("button", name="Send code").click()
        self.page.get_by_label("Six-digit code").fill(self.demo.wait_for_code(address, after=mail_count))
        self.page.wait_for_url("**/dashboard")
        return self.page


def prepare_demo(folder: Path, *, settled: bool) -> None:
    """Start a portal once and stop it, to prepare its data; with `settled`, let its first night finish.

    Each account has a session, whose token is in `tokens_file`.
    """
    folder.mkdir()
    first = DemoPortal(port=free_port(), sandbox_port=free_port(), folder=folder)
    first.start()
    try:
        tokens_file(folder).write_text(json.dumps(first.open_sessions(*ACCOUNTS)))
        if settled:
            first.wait_for_first_night()
    finally:
        first.stop()


if __name__ == "__main__":
    prepare_demo(Path(sys.argv[1]), settled=True)
