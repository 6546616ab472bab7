"""``python -m billing.sandbox.seeds [--afresh]``: build the demo site in the sandbox's database.

Does nothing where the site has customers already, unless told to start afresh. All happens in one transaction, so
that a sandbox that is running meanwhile serves the old site, then the new one. What is made is the past: no
webhook is sent for it.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import django
from django.core.management import call_command


def main(arguments: list[str]) -> None:
    """Migrate, then seed."""
    parser = argparse.ArgumentParser(
        prog="python -m billing.sandbox.seeds", description="Build the demo site."
    )
    parser.add_argument("--afresh", action="store_true", help="erase what is there first")
    parser.add_argument(
        "--present", type=int, help="seconds UTC at which the demo's past ends (default: the real time)"
    )
    chosen = parser.parse_args(arguments)
    _set_up()
    from billing.sandbox.seeds import site

    if site.is_seeded() and not chosen.afresh:
        sys.stdout.write("The sandbox is seeded already.\n")
        return
    begun = time.monotonic()
    steps = site.seed(chosen.present)
    sys.stdout.write(f"Seeded the sandbox in {time.monotonic() - begun:.1f} s ({steps} steps).\n")


def _set_up() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "billing.sandbox.settings"
    os.environ["SANDBOX_WEBHOOK_URL"] = ""
    django.setup()
    from django.conf import settings

    Path(str(settings.DATABASES["default"]["NAME"])).parent.mkdir(parents=True, exist_ok=True)
    call_command("migrate", verbosity=0, interactive=False)


if __name__ == "__main__":
    main(sys.argv[1:])
