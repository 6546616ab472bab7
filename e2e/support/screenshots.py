"""`make screenshots`: take a picture of every screen in every state, for each demo account."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from dev.console import print_line
from e2e.support.demo_portal import ACCOUNTS, BRAND, DemoPortal, Visitor, free_port
from e2e.support.dialog_catalog import DIALOGS
from e2e.support.outcome_catalog import OUTCOMES
from e2e.support.page_actions import click_control
from e2e.support.screen_state import ScreenState, enter_state
from e2e.support.state_catalog import FAILED, LANDING, LOADING, NOBODY, ONLY_WHERE_NAMED, SCREENS

OPERATOR = "operator"
WIDTHS = {360: 740, 768: 1024, 1280: 900, 1920: 1080}
SCHEMES = ("light", "dark")
# The demo's own processes need a core.
BROWSER_COUNT = max(1, min(3, (os.cpu_count() or 2) - 1))
LOAD_IMAGES = """() => Promise.all([...document.images].map((image) => {
  image.loading = 'eager';  // the picture shows what is below the fold, too
  return image.decode().catch(() => {});
}))"""
# The window height that shows every frame completely.
FRAMES_BOTTOM = """() => Math.ceil(scrollY + Math.max(0, ...[...document.querySelectorAll('iframe')].map(
  (frame) => frame.getBoundingClientRect().bottom)))"""
FRAME_DRAW_MS = 300
SHEET_HTML = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 16px system-ui; margin: 24px; }} nav {{ columns: 4 200px; }} h2 {{ margin: 48px 0 8px; }}
.row {{ display: flex; gap: 12px; overflow-x: auto; align-items: start; padding: 8px 0; }}
figure {{ margin: 0; }} img {{ width: {width}px; max-height: {height}px; object-fit: cover; object-position: top;
border: 1px solid #bbb; }}
</style></head><body><h1>{title}</h1>{body}</body></html>
"""


@dataclass(frozen=True)
class Screenshot:
    """A screenshot of a screen, for an account at a width in a color scheme."""

    screen: str
    account: str
    width: int
    scheme: str

    @property
    def file(self) -> str:
        """Its path in the folder of pictures."""
        return f"{self.account}/{self.screen}-{self.width}-{self.scheme}.png"


# Pages that the server renders.
SERVER_SCREENS = (
    ScreenState("not-found", "/static/nothing", (NOBODY,)),
    ScreenState("admin-sign-in", "/admin/", (NOBODY,)),
    ScreenState("admin-home", "/admin/", (OPERATOR,)),
    ScreenState("admin-accounts", "/admin/accounts/account/", (OPERATOR,)),
    ScreenState("admin-story", "/admin/accounts/account/?q=ava", (OPERATOR,), click_control("link", "ava@example")),
    ScreenState("admin-churn", "/admin/billing/churnreport/", (OPERATOR,)),
    ScreenState("admin-revenue", "/admin/billing/revenuereport/", (OPERATOR,)),
    ScreenState(
        "admin-offer",
        "/admin/billing/pauseoffercontent/",
        (OPERATOR,),
        click_control("link", "gospel-tv-plan"),
    ),
    ScreenState("admin-brand", "/admin/accounts/brand/", (OPERATOR,), click_control("link", "kids")),
    ScreenState("admin-system-health", "/admin/billing/systemhealth/", (OPERATOR,)),
    ScreenState("admin-mails", "/admin/accounts/outgoingmail/previews/", (OPERATOR,)),
)


def states_for_account(account: str) -> list[ScreenState]:
    """Return the states that an account can be in."""
    own_states = [state for state in (*LANDING, *SERVER_SCREENS) if account in state.accounts]
    # Outcomes change data, so they come last.
    app_states = (*SCREENS, *DIALOGS, *LOADING, *FAILED, *OUTCOMES)
    in_all = account not in ONLY_WHERE_NAMED
    return own_states or [
        state for state in app_states if (in_all and state.for_all_accounts) or account in state.accounts
    ]


def open_server_page(page: Page, state: ScreenState) -> bool:
    """Open a page that the server renders, and run the state's action; return False if a control is missing."""
    page.goto(state.path)
    if state.act(page) is False:
        return False
    page.wait_for_load_state()
    return True


def sign_in_as(demo: DemoPortal, page: Page, account: str) -> None:
    """Sign in as an account or the operator; do nothing for a visitor."""
    if account == OPERATOR:
        page.goto("/admin/")
        page.get_by_label("Username").fill("admin")
        page.get_by_label("Password").fill("admin")
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url("**/admin/")
    elif account != NOBODY:
        Visitor(demo, page, {}).sign_in_by_code(account)


def take_screenshots(page: Page, state: ScreenState, account: str, folder: Path) -> list[Screenshot]:
    """Take a state at every width in both color schemes; return no pictures if the account lacks the state."""
    page.set_viewport_size({"width": 1280, "height": WIDTHS[1280]})
    enter = open_server_page if state in SERVER_SCREENS else enter_state
    if not enter(page, state):
        return []
    pictures = []
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            # Other schemes and widths may load other images.
            page.evaluate(LOAD_IMAGES)
            pictures.append(Screenshot(state.name, account, width, scheme))
            # A dialog and the page behind it are as high as the window.
            whole = page.locator("dialog[open]").count() == 0
            if page.locator("iframe").count():
                # The browser draws frames of other origins only inside the window.
                page.set_viewport_size({"width": width, "height": max(height, page.evaluate(FRAMES_BOTTOM))})
                page.wait_for_timeout(FRAME_DRAW_MS)
            page.screenshot(path=folder / pictures[-1].file, full_page=whole, animations="disabled")
    return pictures


def screenshot_account(demo: DemoPortal, account: str, folder: Path, wanted: frozenset[str]) -> list[Screenshot]:
    """Take the pictures of one account, in its own browser."""
    pictures: list[Screenshot] = []
    with sync_playwright() as playwright:
        # Chromium's sandbox does not work as root.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"), args=arguments)
        page = browser.new_page(
            base_url=demo.url_at(BRAND), locale="en-US", timezone_id="America/New_York", reduced_motion="reduce"
        )
        sign_in_as(demo, page, account)
        for state in states_for_account(account):
            if not wanted or state.name in wanted:
                pictures += take_screenshots(page, state, account, folder)
        browser.close()
    return pictures


def draw_sheet(title: str, pictures: Iterable[Screenshot], *, width: int, height: int, nav: str = "") -> str:
    """Return an HTML page with a row for each screen and account."""
    rows: dict[tuple[str, str], list[Screenshot]] = defaultdict(list)
    for picture in pictures:
        rows[picture.screen, picture.account].append(picture)
    parts = [nav]
    for (screen, account), row in sorted(rows.items()):
        figures = "".join(
            f'<a href="{picture.file}"><img loading="lazy" src="{picture.file}" '
            f'alt="{escape(screen)}, {account}, {picture.width} px, {picture.scheme}"></a>'
            for picture in row
        )
        parts.append(f'<h2>{escape(screen)} · {account}</h2><div class="row">{figures}</div>')
    return SHEET_HTML.format(title=escape(title), body="\n".join(parts), width=width, height=height)


def write_sheets(pictures: list[Screenshot], folder: Path) -> None:
    """Write a page with all pictures, and one with larger pictures for each screen."""
    names = sorted({picture.screen for picture in pictures})
    links = "".join(f'<li><a href="{name}.html">{escape(name)}</a></li>' for name in names)
    whole = draw_sheet("All screens", pictures, width=180, height=360, nav=f"<nav><ul>{links}</ul></nav>")
    (folder / "index.html").write_text(whole)
    for name in names:
        screen_pictures = [picture for picture in pictures if picture.screen == name]
        (folder / f"{name}.html").write_text(draw_sheet(name, screen_pictures, width=400, height=4000))


def missing_screenshots(pictures: Iterable[Screenshot], accounts: Iterable[str], wanted: frozenset[str]) -> list[str]:
    """Return the states that could not be taken, of the accounts that the catalog lists for them."""
    taken = {(picture.account, picture.screen) for picture in pictures}
    return [
        f"{state.name} of {account}"
        for account in accounts
        for state in states_for_account(account)
        if account in state.accounts and (not wanted or state.name in wanted) and (account, state.name) not in taken
    ]


def main(folder: Path) -> int:
    """Start a demo and fill the folder with its pictures; return 1 if an expected one is missing."""
    accounts = os.environ.get("ACCOUNTS", "").split() or [NOBODY, OPERATOR, *ACCOUNTS]
    wanted = frozenset(os.environ.get("SCREENS", "").split())
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
    with tempfile.TemporaryDirectory() as data:
        demo = DemoPortal(port=free_port(), sandbox_port=free_port(), folder=Path(data))
        demo.start()
        try:
            with ThreadPoolExecutor(BROWSER_COUNT) as pool:
                walks = pool.map(lambda account: screenshot_account(demo, account, folder, wanted), accounts)
                pictures = [picture for taken in walks for picture in taken]
        finally:
            demo.stop()
    write_sheets(pictures, folder)
    print_line(f"  {len(pictures)} pictures: {folder / 'index.html'}")
    missing = missing_screenshots(pictures, accounts, wanted)
    for name in missing:
        print_line(f"  could not be taken: {name}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
