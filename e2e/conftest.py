"""The whole portal as `make run` starts it, with data of its own, and a browser to use it with."""

from __future__ import annotations

import email
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import default as modern_policy
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 180
MAIL_SECONDS = 45
CODE = re.compile(r"^\s*(\d{6})\s*$", re.MULTILINE)

expect.set_options(timeout=10_000)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@dataclass
class Demo:
    """A running portal: where it is, what it has mailed, and its clock."""

    port: int
    sandbox_port: int
    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where the portal is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def sandbox_url(self) -> str:
        """Where the sandbox is."""
        return f"http://127.0.0.1:{self.sandbox_port}"

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which commands find this portal."""
        own = {
            "PORT": self.port,
            "SANDBOX_PORT": self.sandbox_port,
            "VAR_DIR": self.folder,
            "PORTAL_ENV": "demo",
        }
        return {**os.environ, **self.settings, **{name: str(value) for name, value in own.items()}}

    def start(self) -> None:
        """Start everything and wait until it serves. Raises `RuntimeError` with the log when it does not."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "dev/run.py"],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_SECONDS
        while not self._serves():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"the portal did not start:\n{self._log.read_text()}")
            time.sleep(0.1)

    def stop(self) -> None:
        """Stop everything as Ctrl-C would."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=60)

    def manage(self, *arguments: str) -> str:
        """Run a management command and return what it says. Raises `CalledProcessError` when it fails."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=True, timeout=300
        ).stdout

    def compare(self) -> None:
        """Hold the mirror against the provider once the events are in. Raises `AssertionError` with what differs."""
        deadline = time.monotonic() + MAIL_SECONDS
        while True:
            try:
                self.manage("reconcile", "--check")
                return
            except subprocess.CalledProcessError as error:
                if time.monotonic() > deadline:
                    raise AssertionError(error.stdout) from error
            time.sleep(0.5)

    def travel(self, how_far: str) -> str:
        """Move the billing clock, with everything that happens on the way."""
        return self.manage("timetravel", how_far)

    def mails_to(self, address: str) -> list[EmailMessage]:
        """Return what was sent to an address, oldest first."""
        return [mail for mail in self._mails() if address in str(mail["To"])]

    def mail_about(self, address: str, subject: str) -> EmailMessage:
        """Wait for a mail to this address whose subject holds these words, and return it."""
        deadline = time.monotonic() + MAIL_SECONDS
        while time.monotonic() < deadline:
            for mail in self.mails_to(address):
                if subject in str(mail["Subject"]):
                    return mail
            time.sleep(0.1)
        raise TimeoutError(f"no mail about {subject!r} was sent to {address}")

    def code_for(self, address: str, *, after: int = 0) -> str:
        """Wait for a sign-in code beyond the first `after` mails to this address, and return it."""
        deadline = time.monotonic() + MAIL_SECONDS
        while time.monotonic() < deadline:
            for mail in reversed(self.mails_to(address)[after:]):
                body = mail.get_body(("plain",))
                if body and (code := CODE.search(body.get_content())):
                    return code.group(1)
            time.sleep(0.1)
        raise TimeoutError(f"no code was mailed to {address}")

    @property
    def _log(self) -> Path:
        return self.folder / "run.log"

    def _mails(self) -> list[EmailMessage]:
        files = sorted((self.folder / "mail").glob("*.log"), key=lambda file: file.stat().st_mtime_ns)
        # One file holds what one connection sent, each mail ended by a line of dashes.
        parts = [part for file in files for part in file.read_bytes().split(b"\n" + b"-" * 79 + b"\n")]
        return [email.message_from_bytes(part, policy=modern_policy) for part in parts if part.strip()]

    def _serves(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.url}/healthz", timeout=1).close()
        except (OSError, urllib.error.URLError):
            return False
        return True


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The data of a portal that was started once and stopped, made by the first test process for all of them."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "prepared"
    done = folder / "done"
    try:
        folder.mkdir()
    except FileExistsError:
        _wait_for(done)
        return folder
    first = Demo(port=_free_port(), sandbox_port=_free_port(), folder=folder / "data")
    first.folder.mkdir()
    first.start()
    first.stop()
    done.touch()
    return folder


def _wait_for(file: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not file.exists():
        if time.monotonic() > deadline:
            raise TimeoutError("the portal of another test process did not start")
        time.sleep(0.1)


@pytest.fixture(scope="module")
def demo_settings() -> dict[str, str]:
    """What a file of journeys has its portal started with; none unless it says so."""
    return {}


@pytest.fixture(scope="module")
def demo(
    prepared: Path, tmp_path_factory: pytest.TempPathFactory, demo_settings: dict[str, str]
) -> Iterator[Demo]:
    """A portal for a file of journeys, with a clock of its own; each journey takes its own account."""
    folder = tmp_path_factory.mktemp("demo") / "data"
    shutil.copytree(prepared / "data", folder)
    running = Demo(port=_free_port(), sandbox_port=_free_port(), folder=folder, settings=demo_settings)
    running.start()
    try:
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Use the Chromium that `make test` found; as root it cannot have a sandbox of its own."""
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    return {
        **browser_type_launch_args,
        "executable_path": os.environ.get("CHROMIUM") or None,
        "args": arguments,
    }


@pytest.fixture(scope="module")
def browser_context_args(browser_context_args: dict[str, Any], demo: Demo) -> dict[str, Any]:
    """The portal's address, one language, the site's time zone; less motion, so that nothing is clicked on its way."""
    return {
        **browser_context_args,
        "base_url": demo.url,
        "locale": "en-US",
        "timezone_id": "America/New_York",
        "reduced_motion": "reduce",
        "viewport": {"width": 1280, "height": 900},
    }


@pytest.fixture(autouse=True)
def quiet_page(context: BrowserContext) -> Iterator[list[str]]:
    """Fail a journey in which a page threw an error or broke the Content-Security-Policy."""
    complaints: list[str] = []
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    context.on(
        "console",
        lambda message: (
            complaints.append(message.text) if "Content Security Policy" in message.text else None
        ),
    )
    yield complaints
    assert complaints == []


class Visitor:
    """Somebody with a browser and a mailbox."""

    def __init__(self, demo: Demo, page: Page) -> None:
        self.demo = demo
        self.page = page

    def sign_in(self, name: str) -> Page:
        """Sign in as one of the demo's accounts, with the code from the mail, and end on the dashboard."""
        address = f"{name}@example.com"
        already = len(self.demo.mails_to(address))
        self.page.goto("/")
        self.page.get_by_label("Email address").fill(address)
        self.page.get_by_role("button", name="Send code").click()
        self.page.get_by_label("Six-digit code").fill(self.demo.code_for(address, after=already))
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url("**/dashboard")
        return self.page


@pytest.fixture
def visitor(demo: Demo, page: Page) -> Visitor:
    """A visitor who is not signed in yet."""
    return Visitor(demo, page)
