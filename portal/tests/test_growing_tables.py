"""The cost of ticks, nights, changes and operators' lists does not grow with the site: their statements use indexes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts import data_retention
from accounts.admin.lists.large_tables import LargeTableAdmin
from accounts.mail import outbox
from accounts.models import Account, OutgoingMail, User
from billing import clock
from billing.commands import payment_operations
from billing.health import checks
from billing.invoices import pdf_files
from billing.jobs.data_retention import delete_old_refused_codes
from billing.jobs.nightly_reconcile import ROUND_STAGE
from billing.jobs.shared_addresses import find_shared_addresses
from billing.mirror import next_bills, reconcile
from billing.mirror.events import webhook_processing
from billing.models import Command, Customer, JobRun, Subscription
from billing.models.job_runs import Cursor
from billing.queries.catalog import subscribed_plans_outside_catalog
from billing.receipts import notices

LARGE_LISTS = sorted(
    (model for model, model_admin in admin.site._registry.items() if isinstance(model_admin, LargeTableAdmin)),
    key=lambda model: model._meta.label,
)
LARGE_TABLES = {model._meta.db_table for model in LARGE_LISTS}
WORK: dict[str, Callable[[], object]] = {
    "expired mails": outbox.drop_expired_mails,
    "due mails": lambda: [outbox.due_mail_ids(queue) for queue in outbox.Queue],
    "waiting mails": lambda: [outbox.queue_health(queue) for queue in outbox.Queue],
    "expired data": data_retention.delete_expired_data,
    "refused codes": delete_old_refused_codes,
    "due events": webhook_processing.due_event_ids,
    "due PDFs": pdf_files.due_pdf_ids,
    "missing PDFs": pdf_files.request_missing_pdfs,
    "due estimates": next_bills.announce_due_estimates,
    "items without a plan": lambda: subscribed_plans_outside_catalog(limit=9),
    "plans of a removed card": lambda: payment_operations.tied_subscription_ids("ava", "pm_1"),
    "whole site": lambda: reconcile.compare_round_portion(
        JobRun(cursor=Cursor(ROUND_STAGE)), (ROUND_STAGE,), now=clock.billing_now()
    ),
    "notices": lambda: notices.queue_due_notices(now=clock.billing_now()),
}

# The part of such an index is nearly all of its table: all customers but the deleted ones.
LARGE_PARTS = {"customer_address"}
RARE = (
    ("accounts_outgoingmail", "state__exact=failed"),
    ("accounts_outgoingmail", "queue__exact=jobs"),
    ("accounts_outgoingmail", "kind=address_changed"),
    ("accounts_signinevent", "kind__exact=failed"),
    ("accounts_accountevent", "kind=address_changed"),
    ("accounts_accountevent", "at__gte=2026-11-20T00:00:00Z"),
    ("accounts_account", "user__is_active__exact=0"),
    ("billing_invoice", "status=voided"),
    ("billing_command", "kind=give_month"),
    ("billing_command", "error_code=billing_partial"),
    ("billing_webhookevent", "event_type=coupon_deleted"),
    ("billing_webhookevent", "source__exact=feed"),
    *(
        (f"billing_{table}", "deleted__exact=1")
        for table in ("customer", "subscription", "invoice", "paymentsource", "creditnote")
    ),
)

Statement = tuple[str, Any]


@contextmanager
def collect_statements() -> Iterator[list[Statement]]:
    """Yield a list to which each statement of the block is added."""
    statements: list[Statement] = []

    def collect(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(collect):
        yield statements


def partial_indexes() -> set[str]:
    """Return the names of the indexes of a part of a table, which may be read whole: what is waiting, for example."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexrelid::regclass::text FROM pg_index WHERE indpred IS NOT NULL")
        return {name for (name,) in cursor.fetchall()} - LARGE_PARTS


def tables_read_whole(
    statements: list[Statement], *, is_page: bool = False, tables: set[str] = LARGE_TABLES
) -> set[str]:
    """Return the large `tables` that a statement reads from end to end although the database avoids it where it can.

    A list's only page has no limit, since its rows were counted before.
    """
    found: set[str] = set()
    partial = partial_indexes()
    with connection.cursor() as cursor:
        for avoided in ("seqscan", "sort", "hashjoin", "mergejoin"):
            cursor.execute(f"SET LOCAL enable_{avoided} = off")
        for sql, params in statements:
            if sql.lstrip().startswith(("SELECT", "UPDATE", "DELETE", "WITH")):
                cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
                (plan,) = cursor.fetchone()
                top = (plan if isinstance(plan, list) else json.loads(plan))[0]["Plan"]
                found.update(_tables_read_whole(top, partial, is_limited=is_page))
    return found & tables


def _tables_read_whole(node: dict[str, Any], partial: set[str], *, is_limited: bool) -> Iterator[str]:
    """Yield the tables that a node of a plan reads whole; above a limited node is a limit, and nothing reads it all."""
    kind = node["Node Type"]
    if kind == "Seq Scan":
        yield node["Relation Name"]
    is_whole_index = kind in ("Index Scan", "Index Only Scan") and "Index Cond" not in node
    if is_whole_index and node["Index Name"] not in partial and ("Filter" in node or not is_limited):
        yield node["Relation Name"]
    if kind == "Bitmap Heap Scan" and any(
        _is_whole_bitmap(child, partial, is_limited=is_limited) for child in node["Plans"]
    ):
        yield node["Relation Name"]
    below = kind == "Limit" or (is_limited and kind not in ("Sort", "Aggregate", "Hash", "Unique"))
    for child in node.get("Plans", ()):
        yield from _tables_read_whole(child, partial, is_limited=below)


def _is_whole_bitmap(node: dict[str, Any], partial: set[str], *, is_limited: bool) -> bool:
    if "Index Name" not in node or "Index Cond" in node:
        return False
    return node["Index Name"] in LARGE_PARTS or (node["Index Name"] not in partial and not is_limited)


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("operator", password="not used"))
    return client


@pytest.mark.services
@pytest.mark.django_db
@pytest.mark.parametrize("model", LARGE_LISTS, ids=lambda model: model._meta.model_name)
@pytest.mark.parametrize("query", ["", "ava"])
def test_a_list_and_its_search_use_indexes(operator: Client, model: Any, query: str) -> None:
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    with collect_statements() as statements:
        assert operator.get(address, {"q": query} if query else {}).status_code == 200
    assert len(statements) > 3
    assert tables_read_whole(statements, is_page=True) == set()


@pytest.mark.services
@pytest.mark.django_db
def test_the_front_page_uses_indexes(operator: Client) -> None:
    with collect_statements() as statements:
        assert operator.get(reverse("admin:index")).status_code == 200
    assert len(statements) > 20
    assert tables_read_whole(statements) == set()


@pytest.mark.services
@pytest.mark.django_db
@pytest.mark.parametrize(("model", "query"), RARE)
def test_a_filter_for_what_is_rare_uses_an_index(operator: Client, model: str, query: str) -> None:
    with collect_statements() as statements:
        assert operator.get(f"{reverse(f'admin:{model}_changelist')}?{query}").status_code == 200
    # Whether the page's rows are sorted or read in order depends on how many there are.
    counts = [statement for statement in statements if statement[0].startswith("SELECT COUNT(")]
    assert counts
    assert tables_read_whole(counts, tables=LARGE_TABLES | {"accounts_user"}) == set()


@pytest.mark.services
@pytest.mark.django_db
def test_customers_with_a_shared_address_are_read_from_the_addresses_that_were_found(operator: Client) -> None:
    now = clock.billing_now()
    addresses = [f"user{number % 900}@example.com" for number in range(1_000)]
    Customer.objects.bulk_create(
        Customer(provider_id=f"customer-{number}", email=email, synced_at=now) for number, email in enumerate(addresses)
    )
    find_shared_addresses()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE billing_customer, billing_sharedaddress")
    with collect_statements() as statements:
        page = operator.get(reverse("admin:billing_customer_changelist"), {"shared": "yes"})
    listed = [customer.email for customer in page.context["cl"].result_list]
    assert listed == sorted(email for email in addresses if addresses.count(email) > 1)[:100]
    assert tables_read_whole(statements, is_page=True) == set()


@pytest.mark.services
@pytest.mark.django_db
def test_the_list_of_operators_does_not_read_the_subscribers(operator: Client) -> None:
    Account.objects.open_account(email="ava@example.com")
    with collect_statements() as statements:
        page = operator.get(reverse("admin:accounts_user_changelist"))
    assert [user.username for user in page.context["cl"].result_list] == ["operator"]
    assert "accounts_user" not in tables_read_whole(statements, tables={"accounts_user"})


@pytest.mark.django_db
def test_an_operator_cannot_be_named_like_a_subscriber(operator: Client) -> None:
    named = {"username": "subscriber-olga", "password1": "correct horse battery", "password2": "correct horse battery"}
    page = operator.post(reverse("admin:accounts_user_add"), named)
    assert "are those of subscribers" in page.content.decode()
    assert not User.objects.filter(username="subscriber-olga").exists()


@pytest.mark.django_db
def test_a_list_is_in_one_order_whatever_the_address_asks_for(operator: Client) -> None:
    OutgoingMail.objects.bulk_create(OutgoingMail(kind="receipt", to=f"{name}@example.com") for name in "bac")
    page = operator.get(reverse("admin:accounts_outgoingmail_changelist"), {"o": "1"})
    assert [mail.to[0] for mail in page.context["cl"].result_list] == ["c", "a", "b"]
    assert "o=" not in page.content.decode()


@pytest.mark.services
@pytest.mark.django_db
@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_ticks_nights_and_changes_use_indexes(work: Callable[[], object]) -> None:
    with collect_statements() as statements:
        work()
    assert statements
    assert tables_read_whole(statements) == set()


def explain_with_rows(statement: Statement, table: str) -> str:
    """Return how the database runs a statement, once it knows the rows of a table."""
    sql, params = statement
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {table}")
        cursor.execute(f"EXPLAIN {sql}", params)
        return "\n".join(line for (line,) in cursor.fetchall())


@pytest.mark.services
@pytest.mark.django_db
def test_notices_read_no_pause_that_the_provider_does_not_end_soon() -> None:
    now = clock.billing_now()
    ava = Customer.objects.create(provider_id="ava", synced_at=now)
    paused = {"customer": ava, "status": "paused", "created_at": now, "synced_at": now}
    Subscription.objects.bulk_create(Subscription(provider_id=f"plan-{number}", **paused) for number in range(1_000))
    with collect_statements() as statements:
        notices.queue_due_notices(now=now)
    [statement] = [statement for statement in statements if "resume_date" in statement[0]]
    assert "subscription_resume" in explain_with_rows(statement, "billing_subscription")


@pytest.mark.services
@pytest.mark.django_db
def test_system_health_reads_no_refusal_of_earlier_days() -> None:
    now = clock.billing_now()
    account = Account.objects.open_account(email="ava@example.com")
    refused = {"account": account, "state": "failed", "steps": [], "finished_at": now - timedelta(days=9)}
    Command.objects.bulk_create(Command(key=f"key-{number}", **refused) for number in range(1_000))
    with collect_statements() as statements:
        checks.run_health_checks(now=now)
    [statement] = [statement for statement in statements if "finished_at" in statement[0] and "failed" in statement[1]]
    assert "command_failed" in explain_with_rows(statement, "billing_command")


@pytest.mark.services
@pytest.mark.django_db
def test_a_search_by_what_has_no_index_would_be_noticed() -> None:
    with collect_statements() as statements:
        list(OutgoingMail.objects.filter(last_error="x"))
        list(OutgoingMail.objects.order_by("last_error")[:10])
    assert [tables_read_whole([statement], is_page=True) for statement in statements] == [
        {"accounts_outgoingmail"},
        {"accounts_outgoingmail"},
    ]


@pytest.mark.django_db
def test_a_list_counts_up_to_a_limit(operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.admin.lists.large_tables.COUNT_LIMIT", 3)
    OutgoingMail.objects.bulk_create(OutgoingMail(kind="receipt", to=f"{number}@example.com") for number in range(4))
    assert "more than 3 outgoing mails" in " ".join(
        operator.get(reverse("admin:accounts_outgoingmail_changelist")).content.decode().split()
    )


@pytest.mark.django_db
def test_accounts_are_found_by_the_beginning_of_their_address_and_by_name(operator: Client) -> None:
    for email, first, last in (("ava@example.com", "Ava", "Ash"), ("bea@example.com", "Bea", "Ash")):
        Account.objects.open_account(email=email, first_name=first, last_name=last)
    address = reverse("admin:accounts_account_changelist")

    def found(query: str) -> list[str]:
        return [account.email for account in operator.get(address, {"q": query}).context["cl"].result_list]

    assert found("AVA@") == found("ava ash") == ["ava@example.com"]
    assert found("ash") == ["ava@example.com", "bea@example.com"]
    assert found("example.com") == []
