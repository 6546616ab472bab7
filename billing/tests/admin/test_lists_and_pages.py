"""The billing lists and pages of operators: they open, can be searched, are formatted, and are read-only."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.models import Account, AccountEvent, Brand, StreamingService, User
from billing import clock
from billing.models import (
    AccountDocument,
    BundleRate,
    CancelScreenOffer,
    Command,
    Coupon,
    CreditNote,
    Customer,
    FeedCursor,
    Invoice,
    InvoicePdf,
    ItemPrice,
    JobRun,
    PauseOfferContent,
    PauseSchedule,
    PaymentSource,
    Plan,
    PromotionalCredit,
    ProviderClock,
    RefundLimit,
    Subscription,
    SurveyQuestion,
    Transaction,
    WebhookEvent,
)
from billing.models.steps import Step, StepOperation
from billing.tests.api.mirror_factory import (
    NOW,
    apply_catalog,
    apply_resources,
    make_invoice,
    make_percent_coupon,
    make_resource,
    make_subscription,
    open_account,
    timestamp_at,
)
from core.models import IdempotentRequest

pytestmark = pytest.mark.django_db

READ_ONLY = (
    AccountDocument,
    Command,
    Coupon,
    CreditNote,
    Customer,
    FeedCursor,
    IdempotentRequest,
    Invoice,
    InvoicePdf,
    ItemPrice,
    JobRun,
    PauseSchedule,
    PaymentSource,
    PromotionalCredit,
    ProviderClock,
    Subscription,
    Transaction,
    WebhookEvent,
)
MODELS_OF_CUSTOMER = (Subscription, Invoice, PaymentSource, Transaction, CreditNote, PromotionalCredit)
EDITABLE = (BundleRate, PauseOfferContent)
PICTURES = {
    **{f"recommended_title_image{number}": f"portal/art/r{number}.svg" for number in range(1, 5)},
    **{f"upcoming_title_image{number}": f"portal/art/u{number}.svg" for number in range(1, 4)},
    **{f"upcoming_image_text{number}": f"Caption {number}" for number in range(1, 4)},
}


@pytest.fixture
def operator(client: Client) -> Client:
    """Return a superuser's browser."""
    client.force_login(User.objects.create_superuser("olga", password="correct horse battery staple"))
    return client


@pytest.fixture
def alice() -> Account:
    """Return Alice, with a row of every billing model."""
    apply_catalog()
    account = open_account(
        "alice",
        make_resource(
            "payment_source",
            "pm_1",
            customer_id="alice",
            type="card",
            card={"brand": "visa", "last4": "1111"},
        ),
        make_resource("transaction", "txn_1", customer_id="alice", amount=699, date=timestamp_at(), type="payment"),
        make_subscription("sub_1", status="paused", pause_date=timestamp_at(-2), next_billing_at=None),
        make_invoice("17", amount_due=699, status="payment_due"),
        make_resource(
            "credit_note", "CN-1", customer_id="alice", reference_invoice_id="17", total=100, status="refund_due"
        ),
        make_resource(
            "promotional_credit", "PC-1", customer_id="alice", amount=500, type="increment", created_at=timestamp_at()
        ),
    )
    PauseSchedule.objects.create(
        subscription=Subscription.objects.get(),
        state="paused",
        pause_date=NOW - timedelta(days=2),
        resume_date=NOW - timedelta(days=1),
        created_at=NOW,
    )
    Command.objects.create(account=account, key="key-1", kind="pause", actor="you", steps=[Step(StepOperation.PAUSE)])
    IdempotentRequest.objects.create(user=account.user, key="key-1", fingerprint="f")
    WebhookEvent.objects.create(
        event_id="ev_1",
        event_type="invoice_updated",
        occurred_at=NOW,
        source="webhook",
        payload={"names": {"invoice": ["17"]}},
    )
    JobRun.objects.create(job="pauses", scheduled_for=NOW, started_at=NOW, counts={"paused": 1})
    ProviderClock.objects.create(offset_seconds=60, refreshed_at=NOW)
    FeedCursor.objects.create(reading="hourly", occurred_at=NOW)
    InvoicePdf.objects.create(invoice=Invoice.objects.get(), version=1)
    PauseOfferContent.objects.create(plan_id="faith-family-plan", **PICTURES)
    return account


def admin_url(kind: str, model: Any, *args: Any) -> str:
    """Return the URL of an admin page."""
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{kind}", args=args)


def read_first_row(operator: Client, model: Any) -> str:
    """Return the HTML of the page of a model's first row."""
    return operator.get(admin_url("change", model, model.objects.first().pk)).content.decode()


@pytest.mark.parametrize("model", READ_ONLY + EDITABLE)
def test_every_list_and_every_page_opens(operator: Client, alice: Account, model: Any) -> None:
    assert operator.get(admin_url("changelist", model), {"q": "alice"}).status_code == 200
    assert operator.get(admin_url("change", model, model.objects.first().pk)).status_code == 200


@pytest.mark.parametrize("model", READ_ONLY)
def test_read_only_rows_cannot_be_added_changed_or_deleted(operator: Client, alice: Account, model: Any) -> None:
    row = model.objects.first()
    assert operator.get(admin_url("add", model)).status_code == 403
    assert operator.post(admin_url("change", model, row.pk), {}).status_code == 403
    assert operator.post(admin_url("delete", model, row.pk), {"post": "yes"}).status_code == 403


def test_invoices_are_listed_newest_first_in_words(operator: Client, alice: Account) -> None:
    apply_resources(make_invoice("18", days=1), make_invoice("16", days=-1))
    answer = operator.get(admin_url("changelist", Invoice))

    assert [invoice.provider_id for invoice in answer.context["cl"].result_list] == ["18", "17", "16"]
    assert "Payment due</span>" in answer.content.decode()


def filter_links(html: str, field: str, pk: int) -> list[str]:
    """Return the links of a page to lists filtered by one row."""
    return re.findall(rf'href="(/admin/[^"]+{field}__id__exact={pk})"', html)


def test_an_account_links_to_its_billing_lists(operator: Client, alice: Account) -> None:
    url = reverse("admin:accounts_account_change", args=[alice.pk])
    page = operator.get(url).content.decode()
    links = [*filter_links(page, "account", alice.pk), *filter_links(page, "user", alice.user_id)]
    lists = {admin_url("changelist", model) for model in (Customer, Command, IdempotentRequest, AccountDocument)}
    assert lists <= {link.split("?")[0] for link in links}


def test_a_customer_links_to_its_records(operator: Client, alice: Account) -> None:
    links = filter_links(read_first_row(operator, Customer), "customer", Customer.objects.get().pk)
    lists = {admin_url("changelist", model) for model in MODELS_OF_CUSTOMER}
    assert lists == {link.split("?")[0] for link in links}
    assert {operator.get(link).status_code for link in links} == {200}


def test_a_subscription_links_to_its_customer_account_and_pauses(operator: Client, alice: Account) -> None:
    html = read_first_row(operator, Subscription)
    assert admin_url("change", Customer, Customer.objects.get().pk) in html
    assert reverse("admin:accounts_account_change", args=[alice.pk]) in html
    assert filter_links(html, "subscription", Subscription.objects.get().pk)


def test_amounts_and_times_are_formatted(operator: Client, alice: Account) -> None:
    subscription_page, invoice_page = (
        read_first_row(operator, Subscription),
        read_first_row(operator, Invoice),
    )
    assert "$6.99 a month" in subscription_page
    assert f"Mar 8, 2026, 8:00 AM ({timestamp_at(-2)})" in subscription_page
    assert "$6.99 (699)" in invoice_page


@pytest.mark.shows("money-5")
def test_amounts_of_a_record_are_in_its_currency(operator: Client) -> None:
    line = {"subscription_id": "faith", "amount": 500, "description": "Faith"}
    open_account("yuki", make_invoice("yen", owner="yuki", total=500, currency_code="JPY", line_items=[line]))
    page = read_first_row(operator, Invoice)
    assert "500 JPY (500)" in page
    assert "$" not in page


@pytest.mark.parametrize(
    ("count", "unit", "text"), [(1, "month", "1 month"), (3, "month", "3 months"), (1, "year", "1 year")]
)
def test_a_coupon_says_how_long_it_lasts(operator: Client, count: int, unit: str, text: str) -> None:
    apply_resources(make_percent_coupon("C", 10, duration_type="limited_period", period=count, period_unit=unit))
    page = operator.get(reverse("admin:billing_coupon_changelist")).content.decode()
    assert f">{text}<" in page


def test_typed_text_is_escaped(operator: Client, alice: Account) -> None:
    open_account("bob")
    apply_resources(make_resource("customer", "bob", email="bob@example.com", first_name="<img onerror=x>"))
    html = operator.get(admin_url("change", Customer, Customer.objects.get(provider_id="bob").pk)).content.decode()
    assert "<img onerror" not in html
    assert "&lt;img onerror" in html


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (Command, "key-1"),
        (WebhookEvent, "ev_1"),
        (Subscription, "sub_1"),
        (Invoice, "17"),
        (PauseSchedule, "sub_1"),
        (PauseOfferContent, "Caption 2"),
    ],
)
def test_the_search_finds_the_row(operator: Client, alice: Account, model: Any, text: str) -> None:
    listing = operator.get(admin_url("changelist", model), {"q": text}).content.decode()
    empty_listing = operator.get(admin_url("changelist", model), {"q": "nobody knows"}).content.decode()
    assert admin_url("change", model, model.objects.first().pk) in listing
    assert admin_url("change", model, model.objects.first().pk) not in empty_listing


def test_the_list_of_pauses_shows_how_many_are_overdue(operator: Client, alice: Account) -> None:
    listing = operator.get(admin_url("changelist", PauseSchedule), {"overdue": "yes"}).content.decode()
    assert "1 overdue, 0 of them no longer retried" in listing
    PauseSchedule.objects.update(given_up_at=clock.billing_now())
    listing = operator.get(admin_url("changelist", PauseSchedule), {"given_up_at__isempty": "0"}).content.decode()
    assert "1 of them no longer retried" in listing
    assert "sub_1" in listing


def test_the_pause_offer_page_shows_its_pictures(operator: Client, alice: Account) -> None:
    assert '<img src="/static/portal/art/r1.svg"' in read_first_row(operator, PauseOfferContent)


@pytest.mark.parametrize(
    "path", ["../secret.svg", "javascript:alert(1)", "http://example.com/a.svg", "//example.com/a"]
)
def test_an_unsafe_picture_path_is_refused(operator: Client, alice: Account, path: str) -> None:
    content = PauseOfferContent.objects.get()
    form = {"plan_id": content.plan_id, **PICTURES, "upcoming_title_image1": path}
    assert operator.post(admin_url("change", PauseOfferContent, content.pk), form).status_code == 200
    content.refresh_from_db()
    assert content.upcoming_title_image1 == PICTURES["upcoming_title_image1"]


def test_operators_edit_the_pause_offer(operator: Client, alice: Account) -> None:
    content = PauseOfferContent.objects.get()
    form = {"plan_id": content.plan_id, **PICTURES, "upcoming_image_text1": "Soon"}
    assert operator.post(admin_url("change", PauseOfferContent, content.pk), form).status_code == 302
    content.refresh_from_db()
    assert content.upcoming_image_text1 == "Soon"


def test_an_operator_with_view_permissions_gets_no_actions(client: Client, alice: Account) -> None:
    support = User.objects.create_user("sam", password="correct horse battery staple", is_staff=True)
    support.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    client.force_login(support)
    for model, action in ((WebhookEvent, "replay"), (Customer, "read_again")):
        listing = client.get(admin_url("changelist", model))
        assert listing.status_code == 200
        assert f'value="{action}"' not in listing.content.decode()


def test_the_number_of_queries_does_not_grow_with_rows(
    operator: Client, alice: Account, django_assert_max_num_queries: Any
) -> None:
    open_account("bob", *(make_subscription(f"b{number}", owner="bob") for number in range(30)))
    with django_assert_max_num_queries(18):
        operator.get(admin_url("changelist", Subscription))


@pytest.mark.parametrize("condition", ["at__year=0", f"at__year={'9' * 30}"])
def test_a_list_ignores_a_filter_that_nothing_can_meet(operator: Client, alice: Account, condition: str) -> None:
    answer = operator.get(f"{admin_url('changelist', AccountEvent)}?{condition}", follow=True)

    assert answer.status_code == 200
    assert answer.redirect_chain == [(f"{admin_url('changelist', AccountEvent)}?e=1", 302)]


# SQLite looks for a NUL and finds nothing; PostgreSQL refuses to.
@pytest.mark.services
@pytest.mark.parametrize(
    "address",
    [
        "/admin/accounts/accountevent/?kind=%00",
        "/admin/billing/subscription/?plan=%00",
        "/admin/billing/plan/%00/change/",
        "/admin/billing/plan/_00/history/",
        "/admin/auth/group/?name=%00",
        "/admin/accounts/account/{pk}/refund/?about=%00",
    ],
)
def test_an_address_with_a_nul_is_answered(operator: Client, alice: Account, address: str) -> None:
    assert operator.get(address.format(pk=alice.pk)).status_code in (200, 302, 404)


def open_form(operator: Client, row: Any) -> dict[str, Any]:
    """Open a row's page and return what its form would post."""
    form = operator.get(admin_url("change", type(row), row.pk)).context["adminform"].form
    values = {name: form[name].value() for name in form.fields}
    return {name: value for name, value in values.items() if value is not None and value is not False}


@pytest.mark.parametrize(
    ("model", "first", "second"),
    [
        (Brand, {"name": "First"}, {"terms_url": ""}),
        (StreamingService, {"name": "First"}, {"summary": "Second"}),
        (Plan, {"name": "First"}, {"position": "9"}),
        (PauseOfferContent, {"upcoming_image_text1": "First"}, {"upcoming_image_text2": "Second"}),
        (CancelScreenOffer, {"heading": "First"}, {"text": "Second"}),
        (SurveyQuestion, {"answers": "One\nTwo"}, {"answers": "Three\nFour"}),
        (RefundLimit, {"per_act": "9"}, {"per_day": "90"}),
    ],
)
def test_what_another_operator_saved_meanwhile_is_not_overwritten(
    operator: Client, alice: Account, model: Any, first: dict[str, str], second: dict[str, str]
) -> None:
    call_command("seed_site", verbosity=0)
    CancelScreenOffer.objects.get_or_create(heading="Heading", text="Text")
    RefundLimit.objects.get_or_create(group=Group.objects.first(), defaults={"per_act": 1, "per_day": 1})
    row = model.objects.first()
    opened = open_form(operator, row)

    assert operator.post(admin_url("change", model, row.pk), {**opened, **first}).status_code == 302
    saved = model.objects.filter(pk=row.pk).values().get()
    refused = operator.post(admin_url("change", model, row.pk), {**opened, **second})

    assert "Somebody has changed this since you opened the page." in refused.content.decode()
    assert model.objects.filter(pk=row.pk).values().get() == saved
    renewed = {**open_form(operator, row), **second}
    assert operator.post(admin_url("change", model, row.pk), renewed).status_code == 302
