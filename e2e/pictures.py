"""Pictures of every screen, as each of the demo's accounts has it: `make screenshots`."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path

from playwright.sync_api import Error, Page, Route, sync_playwright

from dev.console import say
from e2e.demo import Demo, Visitor, free_port

ACCOUNTS = ("ava", "dan", "ella", "finn", "gia", "hugo", "ivy", "jo")
STRANGER, OPERATOR = "stranger", "operator"
WIDTHS = {360: 740, 768: 1024, 1280: 900}
SCHEMES = ("light", "dark")
# Beside the browsers, the demo's own processes want a core.
AT_ONCE = max(1, min(3, (os.cpu_count() or 2) - 1))
SLOWEST = 20_000
ARRIVED = """() => Promise.all([...document.images].map((image) => {
  image.loading = 'eager';  // the picture shows what is below the fold, too
  return image.decode().catch(() => {});
}))"""
HIGH = "() => document.documentElement.scrollHeight"
DRAWN = 300
SHEET = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 16px system-ui; margin: 24px; }} nav {{ columns: 4 200px; }} h2 {{ margin: 48px 0 8px; }}
.row {{ display: flex; gap: 12px; overflow-x: auto; align-items: start; padding: 8px 0; }}
figure {{ margin: 0; }} img {{ width: {width}px; max-height: {height}px; object-fit: cover; object-position: top;
border: 1px solid #bbb; }}
</style></head><body><h1>{title}</h1>{body}</body></html>
"""


def stay(_page: Page) -> None:
    """Do nothing: the screen is taken as it is."""


@dataclass(frozen=True)
class Screen:
    """A screen by its address, and what is done there before its picture is taken; False where it is not to be had."""

    name: str
    path: str
    act: Callable[[Page], bool | None] = stay


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


def settle(page: Page) -> None:
    """Wait until the screen shows what it has to show; one that keeps on asking is taken as it is."""
    page.locator("h1").first.wait_for(timeout=SLOWEST)
    with suppress(Error):
        page.wait_for_load_state("networkidle", timeout=5_000)


def press(role: str, name: str) -> Callable[[Page], bool]:
    """Press what has this role and begins with this name, where it is there."""

    def act(page: Page) -> bool:
        found = page.locator(f"role={role}[name=/^{name}/i]").and_(page.locator(":not([aria-disabled=true])"))
        if found.count() == 0:
            return False
        found.first.click()
        settle(page)
        return True

    return act


def unsubscribe(page: Page) -> bool:
    """Ask to unsubscribe from everything, which can be done where something is subscribed to."""
    page.get_by_role("checkbox").first.check()
    return press("button", "Unsubscribe From All")(page)


def follow(path: str) -> Callable[[Page], bool]:
    """Follow the first link to an address that begins like this, where there is one."""

    def act(page: Page) -> bool:
        link = page.locator(f"a[href^='{path}']")
        if link.count() == 0:
            return False
        page.goto(str(link.first.get_attribute("href")))
        settle(page)
        return True

    return act


def added(page: Page) -> bool:
    """Open the screen that follows an addition, for the first of the payment methods."""
    link = page.locator("a[href*='paymentSourceId=']")
    if link.count() == 0:
        return False
    source = str(link.first.get_attribute("href")).rpartition("paymentSourceId=")[2]
    page.goto(f"/add-payment-method-success?paymentSourceId={source}")
    settle(page)
    return True


def at(label: str) -> Callable[[Page], None]:
    """Open the same address at the host name of a brand."""

    def act(page: Page) -> None:
        page.goto(page.url.replace("127.0.0.1", f"{label}.localhost"))
        settle(page)

    return act


def in_trouble(answer: Callable[[Route], None], shows: str) -> Callable[[Page], None]:
    """Reload the screen, with such answers to what it asks about the account, until it shows these words."""

    def act(page: Page) -> None:
        page.route("**/api/account*", answer)
        page.reload()
        # What fails is tried again some times before that is said.
        page.get_by_text(shows).first.wait_for(timeout=2 * SLOWEST)

    return act


def refuse(route: Route) -> None:
    """Answer as a server that failed."""
    route.fulfill(status=500, json={"code": "internal_error", "message": "The server failed."})


def keep_waiting(_route: Route) -> None:
    """Answer nothing."""


def mislead(route: Route) -> None:
    """Answer with what no screen can draw."""
    route.fulfill(json={"plans": [{}]})


SIGNED_IN = (
    Screen("dashboard", "/dashboard"),
    Screen("dashboard-menu", "/dashboard", press("button", "Your profile")),
    Screen("resume-dialog", "/dashboard", press("button", "Resume now")),
    Screen("free-month-dialog", "/dashboard", press("button", "Claim my free month")),
    Screen("manage-subscription", "/manage-subscription"),
    Screen("upgrade", "/manage-subscription/upgrade"),
    Screen("upgrade-dialog", "/manage-subscription/upgrade", press("button", "SAVE CHANGES")),
    Screen("downgrade", "/manage-subscription/downgrade"),
    Screen("summary", "/summary?action=upgrade"),
    Screen("coupon", "/coupon"),
    Screen("coupon-empty", "/coupon", press("button", "APPLY")),
    Screen("pause-offer", "/pause-offer"),
    Screen("pause-summary", "/pause-summary"),
    Screen("cancel", "/cancelAll"),
    Screen("billing-history", "/billingHistory"),
    Screen("profile", "/edit-profile"),
    Screen("email-preferences", "/emailPreferences"),
    Screen("unsubscribe-dialog", "/emailPreferences", unsubscribe),
    Screen("email-confirm", "/emailConfirm"),
    Screen("email-confirm-all", "/emailConfirm?state=unsubscribeAll"),
    Screen("payment-methods", "/manage-payment-method"),
    Screen("delete-dialog", "/manage-payment-method", press("button", "Delete .*")),
    Screen("add-method", "/add-payment-method"),
    Screen("add-method-empty", "/add-payment-method", press("button", "Continue")),
    Screen("add-card", "/add-card-payment-method"),
    Screen("add-card-empty", "/add-card-payment-method", press("button", "Add card")),
    Screen("update-card", "/manage-payment-method", follow("/update-card-payment-method")),
    Screen("add-paypal", "/add-paypal-payment-method"),
    Screen("update-paypal", "/manage-payment-method", follow("/add-paypal-payment-method")),
    Screen("method-added", "/manage-payment-method", added),
)
TROUBLE = (
    Screen("dashboard-loading", "/dashboard", in_trouble(keep_waiting, "Loading")),
    Screen("dashboard-failed", "/dashboard", in_trouble(refuse, "Try again")),
    Screen("dashboard-broken", "/dashboard", in_trouble(mislead, "Unexpected Application Error!")),
)
STRANGERS = (
    Screen("landing", "/"),
    Screen("landing-gospel", "/", at("gospel")),
    Screen("landing-kids", "/", at("kids")),
    Screen("landing-sports", "/", at("sports")),
    Screen("landing-empty", "/", press("button", "Send code")),
    Screen("not-found", "/static/nothing"),
    Screen("admin-sign-in", "/admin/"),
)
OPERATORS = (
    Screen("admin-home", "/admin/"),
    Screen("admin-accounts", "/admin/accounts/account/"),
    Screen("admin-story", "/admin/accounts/account/?q=ava", press("link", "ava@example")),
    Screen("admin-retention", "/admin/billing/retentionreport/"),
    Screen("admin-offer", "/admin/billing/retentioncontent/", press("link", "gospel-tv-plan")),
    Screen("admin-brand", "/admin/accounts/brand/", press("link", "kids")),
    Screen("admin-mails", "/admin/accounts/outgoingmail/previews/"),
)


def screens_of(account: str) -> tuple[Screen, ...]:
    """What this one gets to see."""
    if account == STRANGER:
        return STRANGERS
    if account == OPERATOR:
        return OPERATORS
    return (*SIGNED_IN, *TROUBLE) if account == ACCOUNTS[0] else SIGNED_IN


def enter(demo: Demo, page: Page, account: str) -> None:
    """Sign in as this one, where it is somebody."""
    if account == OPERATOR:
        page.goto("/admin/")
        page.get_by_label("Username").fill("admin")
        page.get_by_label("Password").fill("admin")
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url("**/admin/")
    elif account != STRANGER:
        Visitor(demo, page).sign_in(account)


def take(page: Page, screen: Screen, account: str, folder: Path) -> list[Picture]:
    """Take a screen at every width in both schemes; none where it is not to be had."""
    page.set_viewport_size({"width": 1280, "height": WIDTHS[1280]})
    page.unroute_all()
    page.goto(screen.path)
    settle(page)
    if screen.act(page) is False:
        return []
    pictures = []
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
            # Another scheme and another width may want other artwork.
            page.evaluate(ARRIVED)
            pictures.append(Picture(screen.name, account, width, scheme))
            # A dialog and what it covers are as high as the window.
            whole = page.locator("dialog[open]").count() == 0
            if page.locator("iframe").count():
                # A frame of another origin is drawn only where the window is.
                page.set_viewport_size({"width": width, "height": page.evaluate(HIGH)})
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
        page = browser.new_page(base_url=demo.url, locale="en-US", timezone_id="America/New_York")
        enter(demo, page, account)
        for screen in screens_of(account):
            if not wanted or screen.name in wanted:
                pictures += take(page, screen, account, folder)
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


def main(folder: Path) -> None:
    """Start a demo of its own and fill the folder with pictures of it."""
    accounts = os.environ.get("ACCOUNTS", "").split() or [STRANGER, OPERATOR, *ACCOUNTS]
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


if __name__ == "__main__":
    main(Path(sys.argv[1]))
