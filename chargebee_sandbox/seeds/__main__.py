"""``python -m chargebee_sandbox.seeds [--afresh | --bulk N]``: build the demo site in the sandbox's database.

With ``--bulk`` it erases the site and builds one of N like customers instead, for measurements.

Does nothing if the site has customers already, unless ``--afresh`` is given. Runs in one transaction, so that a running
sandbox serves the old site until the new one is complete. Sends no webhooks.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import django
from django.core.management import call_command


def main(arguments: list[str]) -> None:
    """Migrate, then seed the site."""
    parser = argparse.ArgumentParser(prog="python -m chargebee_sandbox.seeds", description="Build the demo site.")
    parser.add_argument("--afresh", action="store_true", help="erase what is there first")
    parser.add_argument(
        "--present", type=int, help="seconds UTC at which the demo's past ends (default: the real time)"
    )
    parser.add_argument("--bulk", type=int, metavar="N", help="build a site of N like customers instead")
    parser.add_argument("--months", type=int, default=2, help="with --bulk: how long they have subscribed (default: 2)")
    options = parser.parse_args(arguments)
    _set_up_django()
    from chargebee_sandbox.seeds import bulk_site, demo_site

    if options.bulk:
        started = time.monotonic()
        rows = bulk_site.seed_bulk_site(options.bulk, months=options.months)
        sys.stdout.write(f"Inserted {rows} rows in {time.monotonic() - started:.1f} s.\n")
        return

    if demo_site.is_seeded() and not options.afresh:
        sys.stdout.write("The sandbox is seeded already.\n")
        return
    started = time.monotonic()
    steps = demo_site.seed_site(options.present)
    sys.stdout.write(f"Seeded the sandbox in {time.monotonic() - started:.1f} s ({steps} steps).\n")


def _set_up_django() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "chargebee_sandbox.settings"
    os.environ["SANDBOX_WEBHOOK_URL"] = ""
    django.setup()
    from django.conf import settings

    Path(str(settings.DATABASES["default"]["NAME"])).parent.mkdir(parents=True, exist_ok=True)
    call_command("migrate", verbosity=0, interactive=False)


if __name__ == "__main__":
    main(sys.argv[1:])
