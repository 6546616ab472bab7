"""Fixtures of the browser tests: a shared portal, restored to the same data for each file, and browser pages."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from e2e.support.demo_portal import (
    BRAND,
    START_SECONDS,
    DemoPortal,
    Visitor,
    free_port,
    prepare_demo,
    session_storage_state,
    tokens_file,
)

# Only a failure waits this long; a busy machine may need it.
expect.set_options(timeout=60_000)
# How long a page may take to tell what it shows.
SHOWN_MS = 5_000


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Report with a failed test what its pages show."""
    report = yield
    if call.when == "call" and report.failed and (browser := getattr(item, "funcargs", {}).get("browser")):
        for page in (page for context in browser.contexts for page in context.pages):
            with suppress(Error):
                report.sections.append((f"Page at {page.url}", page.locator("body").inner_text(timeout=SHOWN_MS)))
    return report


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Return the prepared data: PREPARED_DEMO, or what the first test process prepares for all."""
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
    """Return extra settings of the web server; a test file overrides this to set some."""
    return {}


@pytest.fixture(scope="session")
def shared_demo(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoPortal]:
    """Yield the portal that all files share, since a start takes as long as a whole file of tests."""
    folder = tmp_path_factory.mktemp("demo") / "data"
    shutil.copytree(prepared, folder)
    running = DemoPortal(port=free_port(), sandbox_port=free_port(), folder=folder)
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def demo(shared_demo: DemoPortal, prepared: Path, demo_settings: dict[str, str]) -> Iterator[DemoPortal]:
    """Yield the portal with the prepared data; each test of a file uses another account."""
    with ExitStack() as running:
        yield running.enter_context(shared_demo.serve_with(**demo_settings)) if demo_settings else shared_demo
    shared_demo.restore_data(prepared)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Use the Chromium that `make test` found; its sandbox does not work as root."""
    # On a busy machine the watchdog kills the GPU process, and pages then wait for a frame forever.
    arguments = ["--disable-gpu-watchdog", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    return {
        **browser_type_launch_args,
        "executable_path": os.environ.get("CHROMIUM") or None,
        "args": arguments,
    }


@pytest.fixture(scope="module")
def browser_context_args(browser_context_args: dict[str, Any], demo: DemoPortal) -> dict[str, Any]:
    """Set the portal's URL, locale and time zone, and reduced motion, so that no click hits a moving control."""
    return {
        **browser_context_args,
        "base_url": demo.url_at(BRAND),
        "locale": "en-US",
        "timezone_id": "America/New_York",
        "reduced_motion": "reduce",
        "viewport": {"width": 1280, "height": 900},
    }


@pytest.fixture(autouse=True)
def quiet_page(context: BrowserContext) -> Iterator[list[str]]:
    """Fail a test if a page threw an error or violated the Content-Security-Policy; yield the complaints."""
    complaints: list[str] = []
    _record_complaints(context, complaints)
    yield complaints
    assert complaints == []


def _record_complaints(context: BrowserContext, complaints: list[str]) -> None:
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    context.on(
        "console",
        lambda message: complaints.append(message.text) if "Content Security Policy" in message.text else None,
    )


@pytest.fixture(scope="session")
def tokens(prepared: Path) -> dict[str, str]:
    """Return a session token for each account, for tests that are not about signing in."""
    tokens: dict[str, str] = json.loads(tokens_file(prepared).read_text())
    return tokens


@pytest.fixture
def signed_in(
    browser: Browser,
    browser_context_args: dict[str, Any],
    quiet_page: list[str],
    demo: DemoPortal,
    tokens: dict[str, str],
) -> Iterator[Callable[..., Page]]:
    """Yield a function that opens a page as a signed-in account, at a brand's host name if one is given.

    Other named arguments are options of the browser's context.
    """
    contexts: list[BrowserContext] = []

    def open_page(name: str, brand: str | None = None, **options: Any) -> Page:
        address = demo.url_at(BRAND or brand or "")
        storage = session_storage_state(tokens[name], origin=address)
        own = {"base_url": address, "storage_state": storage, **options}
        context = browser.new_context(**{**browser_context_args, **own})
        contexts.append(context)
        _record_complaints(context, quiet_page)
        return context.new_page()

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def visitor(demo: DemoPortal, page: Page, tokens: dict[str, str]) -> Visitor:
    """Return a visitor who is not signed in yet."""
    return Visitor(demo, page, tokens)
