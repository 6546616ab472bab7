"""A portal that the files of journeys share, each from the same data, and a browser to use it with."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from e2e.support.demo_portal import (
    START_SECONDS,
    DemoPortal,
    Visitor,
    free_port,
    prepare_demo,
    session_storage_state,
    tokens_file,
)

expect.set_options(timeout=10_000)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The data of a portal that was started once and stopped, made before, or by the first test process for all."""
    if made := os.environ.get("PREPARED_DEMO"):
        return Path(made)
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "prepared"
    done = folder / "done"
    try:
        folder.mkdir()
    except FileExistsError:
        _wait_for_file(done)
    else:
        prepare_demo(folder / "data", settled=False)
        done.touch()
    return folder / "data"


def _wait_for_file(file: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not file.exists():
        if time.monotonic() > deadline:
            raise TimeoutError("the portal of another test process did not start")
        time.sleep(0.1)


@pytest.fixture(scope="module")
def demo_settings() -> dict[str, str]:
    """What the web server of a file of journeys is started with; nothing unless it says so."""
    return {}


@pytest.fixture(scope="session")
def shared_demo(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoPortal]:
    """The portal of all files: a start costs as much as a file of journeys."""
    folder = tmp_path_factory.mktemp("demo") / "data"
    shutil.copytree(prepared, folder)
    running = DemoPortal(port=free_port(), sandbox_port=free_port(), folder=folder)
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def demo(shared_demo: DemoPortal, prepared: Path, demo_settings: dict[str, str]) -> Iterator[DemoPortal]:
    """A portal as it was when it was prepared; each journey of a file takes its own account."""
    with ExitStack() as running:
        yield running.enter_context(shared_demo.serve_with(**demo_settings)) if demo_settings else shared_demo
    shared_demo.restore_data(prepared)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Use the Chromium that `make test` found; as root it cannot have a sandbox of its own."""
    # Its process for graphics has a watchdog that ends it on a busy machine; pages then wait for a frame for ever.
    arguments = ["--disable-gpu-watchdog", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    return {
        **browser_type_launch_args,
        "executable_path": os.environ.get("CHROMIUM") or None,
        "args": arguments,
    }


@pytest.fixture(scope="module")
def browser_context_args(browser_context_args: dict[str, Any], demo: DemoPortal) -> dict[str, Any]:
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
    _record_complaints(context, complaints)
    yield complaints
    assert complaints == []


def _record_complaints(context: BrowserContext, complaints: list[str]) -> None:
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    context.on(
        "console",
        lambda message: (
            complaints.append(message.text) if "Content Security Policy" in message.text else None
        ),
    )


@pytest.fixture(scope="session")
def tokens(prepared: Path) -> dict[str, str]:
    """A session of each account, for journeys in which the way in is not what matters."""
    kept: dict[str, str] = json.loads(tokens_file(prepared).read_text())
    return kept


@pytest.fixture
def signed_in(
    browser: Browser,
    browser_context_args: dict[str, Any],
    quiet_page: list[str],
    demo: DemoPortal,
    tokens: dict[str, str],
) -> Iterator[Callable[..., Page]]:
    """Open a page in which an account is signed in, at a brand's address or at the first one's."""
    contexts: list[BrowserContext] = []

    def opened(name: str, brand: str | None = None) -> Page:
        address = f"http://{brand}.localhost:{demo.port}" if brand else demo.url
        kept = session_storage_state(tokens[name], origin=address)
        context = browser.new_context(**{**browser_context_args, "base_url": address, "storage_state": kept})
        contexts.append(context)
        _record_complaints(context, quiet_page)
        return context.new_page()

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def visitor(demo: DemoPortal, page: Page, tokens: dict[str, str]) -> Visitor:
    """A visitor who is not signed in yet."""
    return Visitor(demo, page, tokens)
