"""A browser, a merchant's page, and a sandbox that lets that page embed its frames."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from chargebee_sandbox.tests.chargebee_js.merchant import HERE, Merchant, serve_merchant
from chargebee_sandbox.tests.support.site_driver import SiteDriver

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """One browser for these tests; afterwards its event loop would keep other tests from Django's database."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here; CHROMIUM may name one")
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])


@pytest.fixture(scope="package")
def merchant() -> Iterator[Merchant]:
    with serve_merchant() as merchant:
        merchant.files["host.js"] = (HERE / "host.js").read_bytes()
        merchant.files["icon"] = b""
        yield merchant


@pytest.fixture(scope="package")
def provider(
    run_sandbox: Callable[..., AbstractContextManager[Any]],
    tmp_path_factory: pytest.TempPathFactory,
    merchant: Merchant,
) -> Iterator[Any]:
    """A sandbox for these tests alone, whose portal is the merchant."""
    folder = tmp_path_factory.mktemp("hosted")
    with run_sandbox(folder, SANDBOX_PORTAL_ORIGIN=merchant.origin, SANDBOX_ACCESS_LOG="-") as sandbox:
        merchant.provider = sandbox.url
        yield sandbox


@pytest.fixture
def shop(provider: Any) -> SiteDriver:
    provider.start_afresh()
    return SiteDriver(provider.client(), provider)


@pytest.fixture
def context(chromium: Browser, shop: SiteDriver) -> Iterator[BrowserContext]:
    context = chromium.new_context()
    context.set_default_timeout(5_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """The errors in the console of the page and its frames."""
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: messages.append(str(error)))
    return messages
