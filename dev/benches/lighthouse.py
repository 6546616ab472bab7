"""What Lighthouse says of the landing page and the account home, on a phone and on a desktop."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from dev import browser
from dev.benches import provider
from dev.benches.figures import ROUNDS, LeftOut, Scores, hand_over
from dev.benches.scratch import portal
from dev.benches.serving import serving, signed_in
from dev.places import ROOT, child_environment, var_dir

NAME = "Lighthouse"
VERSION = "12.8.2"
SCRIPT = ROOT / "frontend" / "bench" / "lighthouse.mjs"
FORMS = ("phone", "desktop")
WHOLE = "100, always"
INSTALL_SECONDS = 300


def _installed() -> Path | None:
    """Return the folder that Lighthouse is in, fetched there on first use; None where npm cannot."""
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


def _scores(folder: Path, chromium: str, form: str, address: str, token: str) -> dict[str, list[float]]:
    """Return the scores of all rounds, by category."""
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


def _measured(folder: Path, chromium: str) -> list[Scores]:
    """Serve the built app as the demo does, and ask about each page in each form."""
    with portal("dev.benches.settings"):
        from django.core.management import call_command

        from accounts.models import SiteSettings

        call_command("seed_site", verbosity=0)
        # The stand-in for the provider estimates nothing, and the page would complain of the refusal.
        SiteSettings.objects.update(free_month_on=False)
        call_command("collectstatic", interactive=False, verbosity=0)
        token = signed_in()
        with (
            provider.running(milliseconds=0) as address,
            serving(CHARGEBEE_ENDPOINT=f"{address}/api/v2") as port,
        ):
            base = f"http://127.0.0.1:{port}"
            pages = (
                ("landing page", f"{base}/", "", "≥ 99, least ≥ 97"),
                ("account home", f"{base}/dashboard", token, "≥ 97, least ≥ 95"),
            )
            return [
                Scores(
                    f"{NAME}, {name}, {form}: {category.replace('-', ' ')}",
                    scores,
                    goal if category == "performance" else WHOLE,
                )
                for name, page, who, goal in pages
                for form in FORMS
                for category, scores in _scores(folder, chromium, form, page, who).items()
            ]


def main() -> None:
    """Measure, and hand over what was seen, or why nothing was."""
    chromium = browser.of_the_machine() or browser.of_playwright()
    if chromium is None or shutil.which("npm") is None:
        hand_over([LeftOut(NAME, "it needs a Chromium, and npm to be fetched by")])
    elif (folder := _installed()) is None:
        hand_over([LeftOut(NAME, "npm could not fetch it")])
    else:
        hand_over(_measured(folder, chromium))


if __name__ == "__main__":
    main()
