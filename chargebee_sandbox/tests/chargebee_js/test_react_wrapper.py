"""The provider's own React wrapper, unmodified, driving the stand-in."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from chargebee_sandbox.tests.chargebee_js.card_form import FIELD_TITLES, CardForm
from chargebee_sandbox.tests.chargebee_js.merchant import HERE, Merchant

ROOT = Path(__file__).resolve().parents[3]
WRAPPER = ROOT / "node_modules/@chargebee/chargebee-js-react-wrapper"
BUILD = """
const { entry, path, modules } = JSON.parse(process.argv[1]);
const output = { path, filename: 'react_host.js' };
const done = (error, stats) => {
  if (error || stats.hasErrors()) throw error ?? new Error(String(stats));
};
require('webpack')({ mode: 'development', devtool: false, entry, output, resolve: { modules: [modules] } }, done);
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory, merchant: Merchant) -> None:
    if not WRAPPER.is_dir():
        pytest.skip("the React wrapper is not installed")
    folder = tmp_path_factory.mktemp("bundle")
    config = {
        "entry": str(HERE / "react_host.js"),
        "path": str(folder),
        "modules": str(ROOT / "node_modules"),
    }
    subprocess.run(["node", "-e", BUILD, json.dumps(config)], cwd=ROOT, check=True)  # noqa: S607
    merchant.files["react_host.js"] = (folder / "react_host.js").read_bytes()


@pytest.mark.parametrize("flags", ["", "strict"])
def test_the_wrapper_creates_tokens_and_remounts(
    bundle: None, page: Page, merchant: Merchant, provider: Any, complaints: list[str], flags: str
) -> None:
    form = CardForm(page, merchant.origin)
    page.goto(f"{merchant.origin}/on-react_host.js?{flags}")
    form.wait_until_ready()
    numbered = {**FIELD_TITLES, "number": "Card number"}
    for title in numbered.values():
        expect(page.locator(f'iframe[title="{title}"]')).to_have_count(1)
    tokens = [_request_token(page, numbered) for _time in (1, 2)]

    assert len(set(tokens)) == 2
    assert complaints == []


def _request_token(page: Page, titles: dict[str, str]) -> str:
    for title, typed in zip(titles.values(), ("378282246310005", "0834", "1234"), strict=True):
        page.frame_locator(f'iframe[title="{title}"]').locator("input").press_sequentially(typed)
    page.get_by_role("button", name="Pay").click()
    expect(page.locator("output")).to_contain_text("cb_token_")
    token = page.locator("output").inner_text()
    page.get_by_role("button", name="Toggle").click()
    expect(page.locator("iframe")).to_have_count(0)
    page.get_by_role("button", name="Toggle").click()
    return token
