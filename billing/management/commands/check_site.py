"""`manage.py check_site`: compare the provider's site with what the portal needs, and say what to do."""

import shutil
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from billing.gateway.errors import GatewayError
from billing.gateway.http.rate_limit import throttle_jobs
from billing.site_check import report
from billing.site_check.checks import check_site
from billing.site_check.findings import Finding
from billing.site_check.site_reader import SiteReader
from billing.site_check.trial.play import CannotTry, LiveSite, try_site

TABLE_WIDTH = 160


class Command(BaseCommand):
    """Prints a table: what is needed, what was found, what to do. Fails if something needed is wrong."""

    help = (
        "Check the Chargebee site: catalog, coupons, gateways, webhook, time zone, features. Only reads, unless --try "
        "plays a subscriber's life on a test site, which moves the site's clock about five months forward."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add `--try`, `--record`, `--patience` and `--json`."""
        parser.add_argument(
            "--try",
            action="store_true",
            dest="tries",
            help="Play a subscriber's life with the time machine. Test sites only; deletes its customer afterwards.",
        )
        parser.add_argument("--record", type=Path, metavar="FILE", help="With --try: write the recording to this file.")
        parser.add_argument(
            "--patience",
            type=float,
            default=2.0,
            metavar="SECONDS",
            help="With --try: how long to wait after each step for what the provider does later (default: 2).",
        )
        parser.add_argument("--json", action="store_true", help="Print the table as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check, and print the table.

        Raises CommandError if something needed is wrong, if the provider cannot be reached, and for `--try` on a live
        site.
        """
        if options["record"] and not options["tries"]:
            raise CommandError("--record needs --try.")
        findings = report.newest_findings(self._find(options))
        if options["json"]:
            self.stdout.write(report.format_json(findings))
        else:
            width = min(TABLE_WIDTH, shutil.get_terminal_size((TABLE_WIDTH, 24)).columns)
            for line in report.format_table(findings, width=width):
                self.stdout.write(line)
        summary = report.summarize(findings)
        if any(finding.is_wrong for finding in findings):
            raise CommandError(f"The site is not as the portal needs it: {summary}.")
        if not options["json"]:
            self.stdout.write(f"\n{summary}.")

    def _find(self, options: dict[str, Any]) -> list[Finding]:
        site = SiteReader()
        try:
            with throttle_jobs():
                findings = list(check_site(site))
                return [*findings, *self._try(site, options)] if options["tries"] else findings
        except GatewayError as error:
            raise CommandError(f"The billing provider could not be reached, or refuses the key: {error}") from error
        except LiveSite as error:
            raise CommandError("This is not a test site: --try needs a key test_… and a site …-test.") from error

    def _try(self, site: SiteReader, options: dict[str, Any]) -> list[Finding]:
        try:
            trial = try_site(site, patience=options["patience"], report=self.stderr.write)
        except CannotTry as error:
            return [error.finding]
        if options["record"]:
            try:
                trial.recording.save(options["record"])
            except OSError as error:
                raise CommandError(f"The recording cannot be written: {error}") from error
        return trial.findings
