"""What ticks, nights, reads and operators' pages cost on a site of so many accounts, in milliseconds."""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from dev.benches.support.scale_rows import STATEMENTS
from dev.benches.support.scratch_portal import scratch_portal

ROUNDS = 3
# An account that was read, and that has everything.
ACCOUNT = 776
# The lists of operators, each with what is searched for.
LISTS = {
    "accounts_account": f"user{ACCOUNT}@example.com",
    "accounts_accountevent": f"user{ACCOUNT}@example.com",
    "accounts_outgoingmail": f"user{ACCOUNT}@example.com",
    "accounts_signinevent": f"user{ACCOUNT}@example.com",
    "billing_customer": f"user{ACCOUNT}@example.com",
    "billing_subscription": f"user{ACCOUNT}@example.com",
    "billing_invoice": str(ACCOUNT),
    "billing_transaction": f"txn_{ACCOUNT}",
    "billing_paymentsource": f"pm_{ACCOUNT}",
    "billing_command": f"user{ACCOUNT}@example.com",
    "billing_webhookevent": f"ev_{ACCOUNT}",
    "billing_pauseschedule": f"user{ACCOUNT}@example.com",
    "billing_invoicepdf": f"user{ACCOUNT}@example.com",
}


def load_accounts(count: int) -> None:
    """Load so many accounts with their history in bulk."""
    from django.core.management import call_command
    from django.db import connection

    from accounts.models import User

    call_command("seed_site", verbosity=0, stdout=sys.stderr)
    User.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("SET synchronous_commit = off")
        for statement in STATEMENTS:
            cursor.execute(statement, {"n": count})
        cursor.execute("VACUUM ANALYZE")
    User.objects.create_superuser("operator", pk=2_000_000_000)


def all_costs() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what is measured, with its name."""
    from accounts import data_retention
    from accounts.mail import outbox
    from accounts.models import Account
    from billing import clock
    from billing.changes.discounts import bundle_coupons
    from billing.health import checks
    from billing.invoices import pdf_files
    from billing.jobs import recovery, schedule
    from billing.mirror import documents, next_bills, wanted_estimates
    from billing.mirror.events import webhook_processing
    from billing.models import AccountDocument
    from billing.receipts import notices

    now, account = clock.billing_now(), Account.objects.get(pk=ACCOUNT)
    yield "read: a document", lambda: documents.read_document(account, AccountDocument.Kind.ACCOUNT)
    yield "read: missing estimates", lambda: list(wanted_estimates.missing_estimates(account))
    yield "tick: expired mails", outbox.drop_expired_mails
    yield "tick: due mails", lambda: [outbox.has_due_mail(queue) for queue in outbox.Queue]
    yield "tick: expired data", data_retention.delete_expired_data
    yield "tick: due jobs", lambda: list(schedule.due_jobs(now))
    yield "tick: due events", webhook_processing.due_event_ids
    yield "tick: due PDFs", pdf_files.due_pdf_ids
    yield "tick: due estimates", next_bills.announce_due_estimates
    yield "tick: open commands", lambda: recovery.settle_open_commands(now=now)
    yield "night: missing PDFs", pdf_files.request_missing_pdfs
    yield "night: a page of notices", lambda: notices.queue_due_notices(now=now, until=0)
    yield "night: a page of bundles", lambda: list(bundle_coupons.accounts_to_align(customer__account__lte=5_000)[:200])
    yield "operators: system health", lambda: checks.run_health_checks(now=now)
    yield from _pages()


def _pages() -> Iterator[tuple[str, Callable[[], object]]]:
    from django.test import Client

    from accounts.models import User

    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(User.objects.get(username="operator"))

    def open_page(address: str) -> Callable[[], object]:
        def measured() -> None:
            if client.get(address, follow=True).status_code != 200:
                raise RuntimeError(f"{address} cannot be opened")

        return measured

    yield "operators: desk", open_page("/admin/")
    yield "operators: churn report", open_page("/admin/billing/churnreport/")
    yield "operators: account page", open_page(f"/admin/accounts/account/{ACCOUNT}/change/")
    yield "operators: desk, search", open_page(f"/admin/?q=user{ACCOUNT}@example.com")
    for table, query in LISTS.items():
        address = f"/admin/{table.replace('_', '/')}/"
        yield f"operators: {table}, list", open_page(address)
        yield f"operators: {table}, search", open_page(f"{address}?q={query}")


def measure(work: Callable[[], object]) -> tuple[float, float]:
    """Return the milliseconds of some work and of its slowest statement: medians, after a warm-up, rolled back."""
    from django.db import connection, transaction

    rounds: list[tuple[float, float]] = []
    for _ in range(ROUNDS + 1):
        slowest = 0.0

        def time_statement(execute: Any, *call: Any) -> Any:
            nonlocal slowest
            began = time.perf_counter()
            try:
                return execute(*call)
            finally:
                slowest = max(slowest, time.perf_counter() - began)

        began = time.perf_counter()
        with transaction.atomic(), connection.execute_wrapper(time_statement):
            work()
            transaction.set_rollback(True)
        rounds.append(((time.perf_counter() - began) * 1000, slowest * 1000))
    return tuple(statistics.median(column) for column in zip(*rounds[1:], strict=True))


def main() -> None:
    """Load the accounts of the command line, and print the costs as JSON."""
    count = int(sys.argv[1])
    with scratch_portal() as vendor:
        if vendor != "postgresql":
            raise SystemExit("This needs PostgreSQL: set TEST_DATABASE_URL.")
        began = time.monotonic()
        load_accounts(count)
        print(f"  loaded {count} accounts in {time.monotonic() - began:.0f} s", file=sys.stderr)
        print(json.dumps({name: measure(work) for name, work in all_costs()}))


if __name__ == "__main__":
    main()
