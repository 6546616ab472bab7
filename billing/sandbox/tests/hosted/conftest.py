"""A browser, a merchant's page, and a sandbox that lets that page embed its frames."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from billing.sandbox.tests.hosted.merchant import HERE, Merchant, serving
from billing.sandbox.tests.shop import Shop

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """One browser, ended with these tests: its event loop would forbid Django's database to the tests after them."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here; CHROMIUM may name one")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])


@pytest.fixture(scope="package")
def merchant() -> Iterator[Merchant]:
    with serving() as merchant:
        merchant.files["host.js"] = (HERE / "host.js").read_bytes()
        merchant.files["icon"] = b""
        yield merchant


@pytest.fixture(scope="package")
def provider(
    run_sandbox: Callable[..., AbstractContextManager[Any]],
    tmp_path_factory: pytest.TempPathFactory,
    merchant: Merchant,
) -> Iterator[Any]:
    """A sandbox of these tests' own, whose portal is the merchant."""
    folder = tmp_path_factory.mktemp("hosted")
    with run_sandbox(folder, SANDBOX_PORTAL_ORIGIN=merchant.origin, SANDBOX_ACCESS_LOG="-") as sandbox:
        merchant.settle(sandbox.url)
        yield sandbox


@pytest.fixture
def shop(provider: Any) -> Shop:
    provider.start_afresh()
    return Shop(provider.client(), provider)


@pytest.fixture
def context(chromium: Browser, shop: Shop) -> Iterator[BrowserContext]:
    context = chromium.new_context()
    context.set_default_timeout(5_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """What the page's console complains of, the frames' included."""
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found
