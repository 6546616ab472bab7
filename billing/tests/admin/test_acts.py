"""What support does for a subscriber: each act on its page, from the question to the provider's state."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry

from accounts.mail import outbox
from accounts.models import Account, AccountEvent, OutgoingMail
from billing.models import Command, RefusedCode, Subscription
from billing.tests.admin.account_desk import account_url
from billing.tests.admin.act_page import REASON, ActPage, assert_recorded, figures
from billing.tests.api.browser import Browser
from billing.tests.api.mirror_factory import FAITH, GOSPEL
from billing.tests.api.synced_provider import DECLINING_CARD, SyncedProvider
from billing.tests.support.live_provider import VISA_CARD, Provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(provider: Provider) -> SyncedProvider:
    return SyncedProvider(provider)


@pytest.fixture
def ava(shop: SyncedProvider) -> Account:
    return shop.customer("ava")


@pytest.fixture
def faith(shop: SyncedProvider, ava: Account) -> str:
    return shop.subscribe("ava", FAITH)


@pytest.fixture
def page(ava: Account) -> ActPage:
    return ActPage(ava)


def test_support_cancels_with_the_term_and_keeps_it(shop: SyncedProvider, faith: str, page: ActPage) -> None:
    question = page.ask("cancel", about=faith)
    assert figures(question) == {"Charged now": "$0.00"}
    assert "It ends on" in question.content.decode()
    assert "ends on" in page.confirm(question)
    assert shop.subscription(faith)["status"] == "non_renewing"
    assert_recorded("cancel")
    kept = page.ask("keep", about=faith)
    assert "$6.99" in " ".join(figures(kept).values())
    assert "continues." in page.confirm(kept)
    assert shop.subscription(faith)["status"] == "active"
    assert Subscription.objects.get().status == "active"


def test_support_cancels_with_the_contract_and_says_until_when_it_bills(
    shop: SyncedProvider, ava: Account, page: ActPage
) -> None:
    bound = shop.subscribe("ava", FAITH, billing_cycles=3, contract_term={"action_at_term_end": "renew"})
    question = page.ask("cancel", about=bound)
    end = "June 10, 2026"
    assert f"It ends on {end}. It is bound by contract, and billed until then." in question.content.decode()
    assert "$6.99" in " ".join(figures(question).values())
    assert f"ends on {end}." in page.confirm(question)
    kept = page.ask("keep", about=bound)
    assert "continues." in page.confirm(kept)
    assert "cancelled_at" not in shop.subscription(bound)
    assert "has ended." in page.perform("cancel-now", about=bound)
    assert shop.subscription(bound)["status"] == "cancelled"


def test_support_cancels_at_once(shop: SyncedProvider, faith: str, page: ActPage) -> None:
    gospel = shop.subscribe("ava", GOSPEL)
    question = page.ask("cancel-now", about=faith)
    assert [label for label in figures(question) if "Faith" in label] == []
    assert "has ended." in page.confirm(question)
    assert shop.subscription(faith)["status"] == "cancelled"
    assert shop.subscription(gospel)["status"] == "active"
    assert Subscription.objects.get(provider_id=faith).status == "cancelled"
    assert_recorded("cancel")


def test_it_names_the_plan_and_the_person_and_logs_the_subscription(
    shop: SyncedProvider, faith: str, page: ActPage
) -> None:
    plan = Subscription.objects.get().plan.name
    answer = page.perform("cancel-now", about=faith)
    assert f"For {page.account.email}: {plan} has ended." in answer
    assert f"({faith})" not in answer
    assert shop.subscription(faith)["status"] == "cancelled"
    assert Subscription.objects.get().status == "cancelled"
    entry = LogEntry.objects.get()
    assert entry.change_message == f"{plan} has ended. About: {faith}. Reason: {REASON}"


def test_canceling_at_once_sets_a_scheduled_pause_aside(shop: SyncedProvider, faith: str, page: ActPage) -> None:
    Browser(page.account).post("/api/account/pause?days=30")
    assert "has ended." in page.perform("cancel-now", about=faith)
    assert shop.subscription(faith)["status"] == "cancelled"


def test_support_switches_the_period_and_charges_what_was_shown(
    shop: SyncedProvider, faith: str, page: ActPage
) -> None:
    question = page.ask("change-period", about=faith)
    charged = figures(question)["Charged now"]
    assert charged != "$0.00"
    assert "switches to yearly billing." in page.confirm(question)
    assert shop.subscription(faith)["billing_period_unit"] == "year"
    assert f"${shop.invoices('ava')[0]['amount_paid'] / 100:.2f}" == charged
    assert_recorded("upgrade")


def test_support_undoes_a_scheduled_switch(shop: SyncedProvider, page: ActPage) -> None:
    yearly = shop.subscribe("ava", FAITH, unit="Yearly")
    before = shop.subscription(yearly)["subscription_items"]
    assert "switches to monthly billing." in page.perform("change-period", about=yearly)
    assert shop.subscription(yearly)["has_scheduled_changes"]
    question = page.ask("undo-change", about=yearly)
    [bill] = [amount for label, amount in figures(question).items() if "next bill" in label]
    assert bill == f"${before[0]['amount'] / 100:.2f}"
    assert "was undone." in page.confirm(question)
    assert not shop.subscription(yearly)["has_scheduled_changes"]


def test_support_adds_and_removes_services(shop: SyncedProvider, faith: str, page: ActPage) -> None:
    question = page.ask("change-services", plans=[GOSPEL])
    charged = figures(question)["Charged now"]
    assert "Services that continue: Gospel" in page.confirm(question)
    assert shop.subscription(faith)["status"] == "non_renewing"
    assert f"${shop.invoices('ava')[0]['total'] / 100:.2f}" == charged
    assert_recorded("add_remove_service")


def test_a_selection_that_changes_nothing_is_refused_on_the_form(faith: str, page: ActPage) -> None:
    assert "There&#x27;s nothing to change. (no_change)" in page.ask("change-services", plans=[FAITH]).content.decode()
    assert not Command.objects.filter(actor="support:sam").exists()


def test_support_redeems_a_code(shop: SyncedProvider, faith: str, page: ActPage) -> None:
    shop.coupon("SUMMER", percent=50)
    assert "coupon_not_found" in page.ask("redeem-code", code="WINTER").content.decode()
    assert not RefusedCode.objects.exists()  # what the subscriber typed
    assert "The code SUMMER was redeemed" in page.perform("redeem-code", code="SUMMER")
    assert shop.coupons_on(faith) == ["SUMMER"]
    assert_recorded("redeem_code")


def test_support_gives_a_free_month(shop: SyncedProvider, faith: str, page: ActPage) -> None:
    shop.offer_free_month()
    question = page.ask("free-month")
    confirmed = {
        "Saved": "$6.99",
        "Faith & Family, next bill on April 10, 2026": "$0.00",
        "Faith & Family, from May 10, 2026 on": "$6.99",
    }
    assert figures(question) == {"Charged now": "$0.00", **confirmed}
    assert "The free month was given. It saves $6.99." in page.confirm(question)
    assert shop.coupons_on(faith) == ["FREE-MONTH"]
    assert_recorded("claim_free_month")
    assert figures(page.browser.get(account_url(page.account))).items() >= confirmed.items()


@pytest.mark.parametrize(
    ("name", "choices"),
    [("change-period", {}), ("cancel", {}), ("cancel-now", {}), ("change-services", {"plans": [FAITH, GOSPEL]})],
)
def test_a_double_submit_acts_once(
    shop: SyncedProvider, faith: str, page: ActPage, name: str, choices: dict[str, Any]
) -> None:
    question = page.ask(name, about=faith, **choices)
    first = page.confirm(question)
    invoices = len(shop.invoices("ava"))
    assert 'class="success"' in first
    assert "nothing was done again" not in first
    assert 'class="success">Confirmed before, so nothing was done again. ' in page.confirm(question)
    assert len(shop.invoices("ava")) == invoices
    assert Command.objects.filter(actor="support:sam").count() == 1


@pytest.mark.parametrize(
    ("name", "choices"),
    [("change-period", {}), ("change-services", {"plans": [FAITH, GOSPEL]}), ("redeem-code", {"code": "SUMMER"})],
)
def test_stale_figures_ask_again(
    shop: SyncedProvider, faith: str, page: ActPage, name: str, choices: dict[str, Any]
) -> None:
    shop.coupon("SUMMER", percent=50)
    text = page.confirm(page.ask(name, about=faith, **choices), quote="another")
    assert "The figures have changed. Nothing was done." in text
    assert not Command.objects.filter(actor="support:sam").exists()
    assert len(shop.invoices("ava")) == 1


@pytest.mark.parametrize("name", ["cancel", "cancel-now", "keep", "change-period", "undo-change"])
def test_it_does_not_act_on_another_accounts_subscription(
    shop: SyncedProvider, faith: str, page: ActPage, name: str
) -> None:
    page.account = shop.customer("bob")
    assert page.ask(name, about=faith).status_code == 404
    assert page.browser.post(page.address(name), {"about": faith, "reason": REASON}).status_code == 404
    assert shop.subscription(faith)["status"] == "active"


@pytest.fixture
def owing(shop: SyncedProvider, faith: str) -> str:
    """Return the card that works of an account that owes $6.99, since its default card declined a renewal."""
    shop.provider.add_card("ava", DECLINING_CARD)
    shop.pass_term_end("ava", faith, days=1)
    shop.provider.add_card("ava", VISA_CARD)
    shop.import_customer("ava")
    return faith


def test_support_tries_a_payment_again(shop: SyncedProvider, owing: str, page: ActPage) -> None:
    question = page.ask("collect")
    assert figures(question)["Charged now"] == "$6.99"
    assert "$6.99 was collected." in page.confirm(question)
    assert shop.invoices("ava")[0]["status"] == "paid"
    assert "paid what you owed" in AccountEvent.objects.get(actor="support:sam").text
    assert_recorded("collect_due")
    assert "$6.99 was collected." in page.confirm(question)
    payments = shop.client.Transaction.list({"customer_id": {"is": "ava"}, "status": {"is": "success"}}).list
    assert len(payments) == 2


def test_a_payment_that_is_declined_again_stays_due(shop: SyncedProvider, owing: str, page: ActPage) -> None:
    shop.provider.add_card("ava", DECLINING_CARD)
    shop.import_customer("ava")
    assert "$0.00 of $6.99 was collected." in page.perform("collect")
    assert shop.invoices("ava")[0]["amount_due"] == 699
    assert "was declined again" in AccountEvent.objects.get(actor="support:sam").text


def test_a_payment_of_other_figures_asks_again(shop: SyncedProvider, owing: str, page: ActPage) -> None:
    assert "The figures have changed." in page.confirm(page.ask("collect"), quote="another")
    assert shop.invoices("ava")[0]["amount_due"] == 699


def test_nothing_is_collected_if_nothing_is_due(shop: SyncedProvider, faith: str, page: ActPage) -> None:
    assert "(nothing_due)" in page.ask("collect").content.decode()
    assert len(shop.invoices("ava")) == 1


def send_mails() -> None:
    """Send what is in the outbox."""
    for mail in OutgoingMail.objects.filter(state="pending"):
        outbox.deliver_mail(mail.pk)


def test_support_sends_a_receipt_again(shop: SyncedProvider, faith: str, page: ActPage) -> None:
    Browser(page.account).post("/api/account/pause?days=30")
    send_mails()
    receipt = OutgoingMail.objects.get(kind="receipt")
    question = page.ask("resend-receipt", about=str(receipt.pk))
    assert "is sent again." in page.confirm(question)
    assert "is sent again." in page.confirm(question)
    send_mails()
    first, again = OutgoingMail.objects.filter(kind="receipt").order_by("pk")
    assert (again.context, again.to, again.state) == (first.context, first.to, "sent")
    assert AccountEvent.objects.get(kind="receipt_resent").actor == "support:sam"
    assert f"Reason: {REASON}" in LogEntry.objects.get().change_message


def test_it_sends_no_code_and_no_other_accounts_receipt(shop: SyncedProvider, faith: str, page: ActPage) -> None:
    Browser(page.account).post("/api/account/pause?days=30")
    send_mails()
    receipt = OutgoingMail.objects.get(kind="receipt")
    code = OutgoingMail.objects.create(kind="login_code", to="ava@example.com", account=page.account, state="sent")
    assert page.ask("resend-receipt", about=str(code.pk)).status_code == 404
    assert page.ask("resend-receipt", about="x").status_code == 404
    page.account = shop.customer("bob")
    assert page.ask("resend-receipt", about=str(receipt.pk)).status_code == 404
