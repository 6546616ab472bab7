"""Lighthouse scores of the landing page and the account home, on a phone and on a desktop.

The browser comes through the proxy of `deploy/`, as a subscriber's does: with TLS and HTTP/2.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from dev.benches.support import fake_provider
from dev.benches.support.measurements import ROUNDS, NotMeasured, Scores, print_figures
from dev.benches.support.portal_server import PROXY_RATE, create_signed_in_account, run_server
from dev.benches.support.scratch_portal import scratch_portal
from dev.paths import ROOT, child_environment, var_dir
from dev.setup.chromium import find_browser

NAME = "Lighthouse"
VERSION = "12.8.2"
SCRIPT = ROOT / "frontend" / "bench" / "lighthouse.mjs"
FORMS = ("phone", "desktop")
GOALS = {
    "performance": "≥ 99, least ≥ 97",
    "accessibility": "100, always",
    "best-practices": "100, always",
    # Lighthouse takes a phone to be four times slower than any machine, and counts the page's waits for a busy
    # processor, so that performance on a slow or busy machine says less of the page.
    "speed of the machine": "to compare",
    "blocked": "ms, to compare",
    "blocked by itself": "ms, to compare",
}
INSTALL_SECONDS = 300


def _install_lighthouse() -> Path | None:
    """Return the folder with Lighthouse, installed on first use; None if npm cannot install it."""
    folder = var_dir() / f"lighthouse-{VERSION}"
    if (folder / "node_modules" / "lighthouse" / "package.json").is_file():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text("{}\n")
    command = ["npm", "install", "--no-audit", "--no-fund", "--save-exact", f"lighthouse@{VERSION}"]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**child_environment(), "PUPPETEER_SKIP_DOWNLOAD": "1"},
            capture_output=True,
            check=False,
            timeout=INSTALL_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return folder if done.returncode == 0 else None


def _run_lighthouse(folder: Path, chromium: str, form: str, address: str, token: str) -> dict[str, list[float]]:
    """Return the scores of all rounds by category, with Lighthouse's benchmark of the machine."""
    command = [
        "node",
        str(SCRIPT),
        str(folder),
        chromium,
        str(ROUNDS),
        form,
        address,
        *([token] if token else []),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=child_environment())
    scores: dict[str, list[float]] = json.loads(done.stdout)
    return scores


def _measure_pages(folder: Path, chromium: str) -> list[Scores]:
    """Serve the built app through the proxy; return the scores of each page in each form."""
    with (
        scratch_portal("dev.benches.support.settings"),
        tempfile.TemporaryDirectory(prefix="lighthouse-") as configuration,
    ):
        from django.core.management import call_command

        from accounts.models import SiteSettings
        from faults.support.proxy import HOST, run_proxy

        # nginx reads it as a user of its own.
        Path(configuration).chmod(0o755)
        call_command("seed_site", verbosity=0)
        # The fake provider has no estimates, and the page would show an error.
        SiteSettings.objects.update(free_month_on=False)
        call_command("collectstatic", interactive=False, verbosity=0)
        token = create_signed_in_account()
        with (
            fake_provider.run_provider(milliseconds=0) as address,
            run_server(CHARGEBEE_ENDPOINT=f"{address}/api/v2") as port,
            run_proxy(Path(configuration), portal_port=port, requests_a_second=PROXY_RATE) as proxy,
        ):
            base = f"https://{HOST}:{proxy.port}"
            pages = (
                ("landing page", f"{base}/", ""),
                ("account home", f"{base}/dashboard", token),
            )
            return [
                Scores(
                    f"{NAME}, {name}, {form}: {category.replace('-', ' ')}",
                    scores,
                    GOALS[category],
                )
                for name, page, who in pages
                for form in FORMS
                for category, scores in _run_lighthouse(folder, chromium, form, page, who).items()
            ]


def main() -> None:
    """Measure and print, or print why nothing could be measured."""
    chromium = find_browser()
    tools = [shutil.which("npm", path=child_environment()["PATH"]), shutil.which("nginx")]
    if chromium is None or None in tools:
        print_figures([NotMeasured(NAME, "it needs a Chromium, nginx, and npm to be fetched by")])
    elif (folder := _install_lighthouse()) is None:
        print_figures([NotMeasured(NAME, "npm could not fetch it")])
    else:
        print_figures(_measure_pages(folder, chromium))


if __name__ == "__main__":
    main()
