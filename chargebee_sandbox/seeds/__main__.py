"""``python -m chargebee_sandbox.seeds [--afresh] [--past]``: build the demo site in the sandbox's database.

With ``--past`` it has a year of a few hundred subscribers beside the named ones, with ``--past 1`` of fewer, for tests.
``--bulk N`` erases the site and builds one of N like customers instead, for measurements.

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

MOST_COPIES = 1_000


def main(arguments: list[str]) -> None:
    """Migrate, then seed the site."""
    parser = argparse.ArgumentParser(prog="python -m chargebee_sandbox.seeds", description="Build the demo site.")
    parser.add_argument("--afresh", action="store_true", help="erase what is there first")
    parser.add_argument(
        "--present", type=int, help="seconds UTC at which the demo's past ends (default: the real time)"
    )
    parser.add_argument(
        "--past",
        type=int,
        nargs="?",
        const=MOST_COPIES,
        default=0,
        metavar="N",
        help="with a year of a few hundred more subscribers, of whom N live alike at most",
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
    customers = demo_site.seed_site(options.present, past_copies=options.past)
    sys.stdout.write(f"Seeded the sandbox in {time.monotonic() - started:.1f} s ({customers} customers).\n")


def _set_up_django() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "chargebee_sandbox.settings"
    os.environ["SANDBOX_WEBHOOK_URL"] = ""
    django.setup()
    from django.conf import settings

    Path(str(settings.DATABASES["default"]["NAME"])).parent.mkdir(parents=True, exist_ok=True)
    call_command("migrate", verbosity=0, interactive=False)


if __name__ == "__main__":
    main(sys.argv[1:])
