"""Pictures of every screen in every state, as the demo's accounts have it: `make screenshots`."""

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

from dev.console import say
from e2e.acts import press
from e2e.demo import ACCOUNTS, Demo, Visitor, free_port
from e2e.screen_state import State, bring_about
from e2e.states import DIALOGS, FAILED, LANDING, LOADING, NOBODY, SCREENS

OPERATOR = "operator"
WIDTHS = {360: 740, 768: 1024, 1280: 900}
SCHEMES = ("light", "dark")
# Beside the browsers, the demo's own processes want a core.
AT_ONCE = max(1, min(3, (os.cpu_count() or 2) - 1))
ARRIVED = """() => Promise.all([...document.images].map((image) => {
  image.loading = 'eager';  // the picture shows what is below the fold, too
  return image.decode().catch(() => {});
}))"""
# How high the window has to be for every frame in it.
FRAMED = """() => Math.ceil(scrollY + Math.max(0, ...[...document.querySelectorAll('iframe')].map(
  (frame) => frame.getBoundingClientRect().bottom)))"""
DRAWN = 300
SHEET = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 16px system-ui; margin: 24px; }} nav {{ columns: 4 200px; }} h2 {{ margin: 48px 0 8px; }}
.row {{ display: flex; gap: 12px; overflow-x: auto; align-items: start; padding: 8px 0; }}
figure {{ margin: 0; }} img {{ width: {width}px; max-height: {height}px; object-fit: cover; object-position: top;
border: 1px solid #bbb; }}
</style></head><body><h1>{title}</h1>{body}</body></html>
"""


@dataclass(frozen=True)
class Picture:
    """A picture that was taken."""

    screen: str
    account: str
    width: int
    scheme: str

    @property
    def file(self) -> str:
        """Its place in the folder of pictures."""
        return f"{self.account}/{self.screen}-{self.width}-{self.scheme}.png"


# What the server draws by itself.
NOT_OF_THE_APP = (
    State("not-found", "/static/nothing", (NOBODY,)),
    State("admin-sign-in", "/admin/", (NOBODY,)),
    State("admin-home", "/admin/", (OPERATOR,)),
    State("admin-accounts", "/admin/accounts/account/", (OPERATOR,)),
    State("admin-story", "/admin/accounts/account/?q=ava", (OPERATOR,), press("link", "ava@example")),
    State("admin-retention", "/admin/billing/retentionreport/", (OPERATOR,)),
    State("admin-offer", "/admin/billing/retentioncontent/", (OPERATOR,), press("link", "gospel-tv-plan")),
    State("admin-brand", "/admin/accounts/brand/", (OPERATOR,), press("link", "kids")),
    State("admin-machinery", "/admin/billing/machinery/", (OPERATOR,)),
    State("admin-mails", "/admin/accounts/outgoingmail/previews/", (OPERATOR,)),
)


def states_of(account: str) -> list[State]:
    """What this one gets to see."""
    own = [state for state in (*LANDING, *NOT_OF_THE_APP) if account in state.accounts]
    of_the_app = (*SCREENS, *DIALOGS, *LOADING, *FAILED)
    return own or [state for state in of_the_app if state.everybody or account in state.accounts]


def open_page(page: Page, state: State) -> bool:
    """Open what the server draws, and follow the link that leads on, if there is one; False where it is not there."""
    page.goto(state.path)
    if state.act(page) is False:
        return False
    page.wait_for_load_state()
    return True


def enter(demo: Demo, page: Page, account: str) -> None:
    """Sign in as this one, where it is somebody."""
    if account == OPERATOR:
        page.goto("/admin/")
        page.get_by_label("Username").fill("admin")
        page.get_by_label("Password").fill("admin")
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url("**/admin/")
    elif account != NOBODY:
        Visitor(demo, page).sign_in(account)


def take(page: Page, state: State, account: str, folder: Path) -> list[Picture]:
    """Take a state of a screen at every width in both schemes; none where it is not to be had."""
    page.set_viewport_size({"width": 1280, "height": WIDTHS[1280]})
    bring = open_page if state in NOT_OF_THE_APP else bring_about
    if not bring(page, state):
        return []
    pictures = []
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            # Another scheme and another width may want other artwork.
            page.evaluate(ARRIVED)
            pictures.append(Picture(state.name, account, width, scheme))
            # A dialog and what it covers are as high as the window.
            whole = page.locator("dialog[open]").count() == 0
            if page.locator("iframe").count():
                # A frame of another origin is drawn only where the window is.
                page.set_viewport_size({"width": width, "height": max(height, page.evaluate(FRAMED))})
                page.wait_for_timeout(DRAWN)
            page.screenshot(path=folder / pictures[-1].file, full_page=whole, animations="disabled")
    return pictures


def walk(demo: Demo, account: str, folder: Path, wanted: frozenset[str]) -> list[Picture]:
    """Walk through everything that one account sees, in a browser of its own."""
    pictures: list[Picture] = []
    with sync_playwright() as playwright:
        # As root it cannot have a sandbox of its own.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"), args=arguments)
        page = browser.new_page(
            base_url=demo.url, locale="en-US", timezone_id="America/New_York", reduced_motion="reduce"
        )
        enter(demo, page, account)
        for state in states_of(account):
            if not wanted or state.name in wanted:
                pictures += take(page, state, account, folder)
        browser.close()
    return pictures


def sheet(title: str, pictures: Iterable[Picture], *, width: int, height: int, nav: str = "") -> str:
    """Draw a page with a row for each screen and account."""
    rows: dict[tuple[str, str], list[Picture]] = defaultdict(list)
    for picture in pictures:
        rows[picture.screen, picture.account].append(picture)
    parts = [nav]
    for (screen, account), row in sorted(rows.items()):
        figures = "".join(
            f'<a href="{one.file}"><img loading="lazy" src="{one.file}" '
            f'alt="{escape(screen)}, {account}, {one.width} px, {one.scheme}"></a>'
            for one in row
        )
        parts.append(f'<h2>{escape(screen)} · {account}</h2><div class="row">{figures}</div>')
    return SHEET.format(title=escape(title), body="\n".join(parts), width=width, height=height)


def write_sheets(pictures: list[Picture], folder: Path) -> None:
    """Write the sheet of all pictures, and a larger one for each screen."""
    names = sorted({picture.screen for picture in pictures})
    links = "".join(f'<li><a href="{name}.html">{escape(name)}</a></li>' for name in names)
    whole = sheet("All screens", pictures, width=180, height=360, nav=f"<nav><ul>{links}</ul></nav>")
    (folder / "index.html").write_text(whole)
    for name in names:
        alike = [picture for picture in pictures if picture.screen == name]
        (folder / f"{name}.html").write_text(sheet(name, alike, width=400, height=4000))


def not_taken(pictures: Iterable[Picture], accounts: Iterable[str], wanted: frozenset[str]) -> list[str]:
    """What was to be had of the accounts it is listed for, and was not: a screen that lost what leads to it."""
    taken = {(picture.account, picture.screen) for picture in pictures}
    return [
        f"{state.name} of {account}"
        for account in accounts
        for state in states_of(account)
        if account in state.accounts
        and (not wanted or state.name in wanted)
        and (account, state.name) not in taken
    ]


def main(folder: Path) -> int:
    """Start a demo of its own and fill the folder with pictures of it; 1 when one that was to be had is missing."""
    accounts = os.environ.get("ACCOUNTS", "").split() or [NOBODY, OPERATOR, *ACCOUNTS]
    wanted = frozenset(os.environ.get("SCREENS", "").split())
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
    with tempfile.TemporaryDirectory() as data:
        demo = Demo(port=free_port(), sandbox_port=free_port(), folder=Path(data))
        demo.start()
        try:
            with ThreadPoolExecutor(AT_ONCE) as pool:
                walks = pool.map(lambda account: walk(demo, account, folder, wanted), accounts)
                pictures = [picture for taken in walks for picture in taken]
        finally:
            demo.stop()
    write_sheets(pictures, folder)
    say(f"  {len(pictures)} pictures: {folder / 'index.html'}")
    missing = not_taken(pictures, accounts, wanted)
    for name in missing:
        say(f"  could not be taken: {name}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
