"""Actions of operators: in the admin, by the services that its pages call, and in the provider's console."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

from accounts.mail import queue
from accounts.models import Account, OutgoingMail, SiteSettings, User
from accounts.sign_in import flow
from billing import clock
from billing.changes import operator_actions, pauses, refunds, resumes
from billing.changes.discounts import bundle_rates
from billing.commands.confirmation import Change, confirm_change
from billing.mirror.events import webhook_processing
from billing.models import BundleRate, Invoice, PauseOfferContent, WebhookEvent
from billing.queries.payments.refunds import ADJUST, CREDIT, REFUND
from billing.queries.subscriptions.ownership import live_holdings
from billing.tests.support.live_provider import DECLINING_CARD, FAITH, GOSPEL, KIDS, VISA_CARD, Provider
from billing.tests.support.subscriber_wallet import SubscriberWallet
from preferences import email_preferences
from preferences.models import PreferenceChange

OPERATOR = "support:vera"
# On the page of an account, and in the lists.
ADMIN_ACTIONS = (
    "resume",
    "resume",
    "remove pause",
    "resync",
    "sign out",
    "switch off and on",
    "unsubscribe",
    "process again",
    "try mail again",
)
SWITCHES = {
    "free month": "free_month_on",
    "pause offer": "pause_offer_on",
    "cancelling": "enable_cancel_button",
}
# On more often than off, because a disabled feature cannot break.
SITE_ACTIONS = (
    *(f"{name} {how}" for name in SWITCHES for how in ("on", "on", "off")),
    *("time zone", "content", "rate", "rate", "no rate"),
)
WALLET_ACTIONS = (
    *("add", "add declining", "make primary", "make backup", "remove", "collect", "rename"),
    *("refund", "credit", "void credit", "give credit"),
)
# How an operator gives money back; without an invoice as a promotional credit.
WAYS_TO_GIVE = (REFUND, CREDIT, ADJUST, "promotional")
PLAN_ACTIONS = (
    *("tie", "take coupon off", "put coupon on", "take new price"),
    *("schedule ramp", "schedule late ramp", "delete ramp"),
)
SERVICES = (FAITH, GOSPEL, KIDS)
PAGE = 20
ZONES = ("America/New_York", "Pacific/Auckland")


@dataclass
class AdminOperator:
    """An operator in the admin. Each action has its own idempotency key."""

    _intents: itertools.count[int] = field(default_factory=itertools.count)
    # The last confirmed refund or credit of each account, with its quote and its key.
    _given: dict[Account, tuple[Change, dict[str, Any]]] = field(default_factory=dict)

    def perform_action(self, account: Account, act: str, plan: str) -> None:
        """Do one of ADMIN_ACTIONS. Raises PortalError, which the page shows."""
        acts: dict[str, Callable[[], object]] = {
            "resume": lambda: self._resume_plan(account, plan),
            "remove pause": lambda: self._remove_pause(account, plan),
            "resync": lambda: operator_actions.resync_as_operator(account, actor=OPERATOR, now=clock.billing_now()),
            "sign out": lambda: flow.sign_out_by_operator(account, actor=OPERATOR, reason="Lost phone"),
            "switch off and on": lambda: self._switch_off_and_on(account),
            "unsubscribe": lambda: email_preferences.change_preferences(
                account,
                email_preferences.NONE_WANTED,
                source=PreferenceChange.Source.OPERATOR,
                actor=OPERATOR,
            ),
            "process again": self._process_again,
            "try mail again": lambda: queue.retry_mails(OutgoingMail.objects.filter(account=account)),
        }
        acts[act]()

    def give_back(self, account: Account, way: str, cents: int, place: int) -> None:
        """Refund or credit the invoice at this index, the newest first, or give a promotional credit."""
        operator, _ = User.objects.get_or_create(username="vera", is_staff=True, is_superuser=True)
        change: Change = refunds.GiveCredit(account, refunds.GIVE_CREDIT, amount=cents, operator=operator)
        if way in (REFUND, CREDIT, ADJUST):
            invoices = list(Invoice.objects.filter(customer__account=account).order_by("-issued_at", "-pk"))
            if not invoices:
                return
            number = invoices[min(place, len(invoices) - 1)].provider_id
            details: dict[str, Any] = {"number": number, "way": way, "amount": cents, "reason_code": "waiver"}
            change = refunds.RefundInvoice(account, refunds.REFUND_INVOICE, operator=operator, **details)
        preview = change.preview(clock.billing_now())
        quote = None if preview is None else preview.shown["quote"]
        self._given[account] = change, {"quote": quote, **self._next_intent()}
        confirm_change(change, **self._given[account][1])

    def give_back_again(self, account: Account) -> None:
        """Submit the last confirmation of a refund or credit once more, with its key."""
        if account in self._given:
            change, confirmation = self._given[account]
            confirm_change(change, **{**confirmation, "now": clock.billing_now()})

    def set_up(self, act: str, number: int) -> None:
        """Do one of SITE_ACTIONS; `number` selects its object or amount."""
        site = SiteSettings.objects.get(pk=1)
        if act == "rate":
            bundle_rates.set_bundle_rate(size=2 + number % 2, percentage=Decimal(10 + 5 * number))
        elif act == "no rate":
            BundleRate.objects.filter(size=2 + number % 2).delete()
            bundle_rates.refresh_bundles()
        elif act == "content":
            content = {"upcoming_image_text1": f"Season {number}"}
            PauseOfferContent.objects.update_or_create(plan_id=SERVICES[number % len(SERVICES)], defaults=content)
        elif act == "time zone":
            site.time_zone = ZONES[number % len(ZONES)]
            site.save()
        else:
            name, _, how = act.rpartition(" ")
            setattr(site, SWITCHES[name], how == "on")
            site.save()

    def _switch_off_and_on(self, account: Account) -> None:
        flow.deactivate_account(account)
        flow.reactivate_account(account)

    def _process_again(self) -> None:
        for event in WebhookEvent.objects.all()[:PAGE]:
            webhook_processing.replay_event(event.pk)

    def _resume_plan(self, account: Account, plan: str) -> None:
        """Resume a plan with the quote of its estimate, as the page does."""
        for identifier in _live_subscription_ids(account, plan):
            shown = resumes.estimate_resume(account, subscription_ids=[identifier], days=None, now=clock.billing_now())
            resumes.resume_subscriptions(
                account, subscription_ids=[identifier], quote=shown.quote, **self._next_intent()
            )

    def _remove_pause(self, account: Account, plan: str) -> None:
        for identifier in _live_subscription_ids(account, plan):
            pauses.remove_scheduled_pause(account, subscription_ids=[identifier], **self._next_intent())

    def _next_intent(self) -> dict[str, Any]:
        return {"key": f"operator-{next(self._intents)}", "actor": OPERATOR, "now": clock.billing_now()}


@dataclass
class ConsoleOperator:
    """An operator in the provider's console. A refused action is ignored."""

    provider: Provider

    def perform_action(self, account: Account, act: str, plan: str, place: int) -> None:
        """Do one of PLAN_ACTIONS, or an action of `Provider.console`, on a subscription."""
        if act not in PLAN_ACTIONS:
            self.provider.console(account, act, plan)
            return
        with suppress(Exception):  # any error of the SDK: the provider refused, and nothing happened
            self._change_subscription(self.provider.subscription(account, plan), act, self._pick_source(account, place))

    def change_wallet(self, account: Account, act: str, place: int) -> None:
        """Do one of WALLET_ACTIONS on the payment method at this index."""
        api, customer = self.provider.sdk, account.customer.provider_id
        source = self._pick_source(account, place)
        acts: dict[str, Callable[[], object]] = {
            "add": lambda: self.provider.add_card(customer, VISA_CARD),
            "add declining": lambda: self.provider.add_card(customer, DECLINING_CARD),
            "make primary": lambda: self._give_role(customer, source, "primary"),
            "make backup": lambda: self._give_role(customer, source, "backup"),
            "remove": lambda: api.PaymentSource.delete(source),
            "collect": lambda: [
                api.Invoice.collect_payment(invoice.id)
                for invoice in self.provider.invoices(account)
                if invoice.amount_due
            ],
            "refund": lambda: [api.Invoice.refund(invoice.id) for invoice in self.provider.invoices(account)[-1:]],
            "credit": lambda: [
                api.CreditNote.create(
                    {"reference_invoice_id": invoice.id, "total": 100, "type": "refundable", "reason_code": "waiver"}
                )
                for invoice in self.provider.invoices(account)[-1:]
            ],
            "void credit": lambda: [
                api.CreditNote.void_credit_note(entry.credit_note.id)
                for entry in api.CreditNote.list({"customer_id": {"is": customer}, "limit": 1}).list
            ],
            "give credit": lambda: api.PromotionalCredit.add(
                {"customer_id": customer, "amount": 150, "description": "Sorry"}
            ),
            "rename": lambda: api.Customer.update(customer, {"first_name": "Vera", "last_name": "Tester"}),
        }
        with suppress(Exception):  # as above
            acts[act]()

    def set_price(self, plan: str, unit: str, cents: int) -> None:
        """Set another price for new subscriptions; existing ones keep the old price until they are updated."""
        self.provider.sdk.ItemPrice.update(f"{plan}-USD-{unit}", {"price": cents})

    def _change_subscription(self, subscription: Any, act: str, source: str) -> None:
        api, held = self.provider.sdk.Subscription, subscription.raw_data
        coupons = [coupon["coupon_id"] for coupon in held.get("coupons") or ()]
        price = held["subscription_items"][0]["item_price_id"]
        item = {"item_price_id": price, "quantity": 1}
        acts: dict[str, Callable[[], object]] = {
            "tie": lambda: api.override_billing_profile(
                subscription.id, {"payment_source_id": source, "auto_collection": "on"}
            ),
            "take coupon off": lambda: api.remove_coupons(subscription.id, {"coupon_ids": coupons[:1]}),
            "put coupon on": lambda: api.update_for_items(
                subscription.id, {"coupon_ids": ["SAVE20"], "reactivate": False}
            ),
            "take new price": lambda: api.update_for_items(
                subscription.id,
                {
                    "subscription_items": [item],
                    "replace_items_list": True,
                    "prorate": False,
                    "reactivate": False,
                },
            ),
            "schedule ramp": lambda: self._schedule_ramp(subscription.id, price, days=3),
            "schedule late ramp": lambda: self._schedule_ramp(subscription.id, price, days=45),
            "delete ramp": lambda: [
                self.provider.sdk.Ramp.delete(entry.ramp.id)
                for entry in self.provider.sdk.Ramp.list({"subscription_id": {"is": subscription.id}}).list
                if entry.ramp.status == "scheduled"
            ],
        }
        acts[act]()

    def _schedule_ramp(self, subscription: str, price: str, *, days: int) -> None:
        """Schedule another price of a plan for so many days from now."""
        starts_at = int((clock.billing_now() + timedelta(days=days)).timestamp())
        item = {"item_price_id": price, "unit_price": 555}
        self.provider.sdk.Ramp.create_for_subscription(
            subscription, {"effective_from": starts_at, "items_to_update": [item]}
        )

    def _give_role(self, customer: str, source: str, role: str) -> None:
        self.provider.sdk.Customer.assign_payment_role(customer, {"payment_source_id": source, "role": role})

    def _pick_source(self, account: Account, place: int) -> str:
        sources = list(SubscriberWallet(self.provider, account).provider_sources())
        return sources[min(place, len(sources) - 1)] if sources else ""


def _live_subscription_ids(account: Account, plan: str) -> list[str]:
    return [holding.subscription.provider_id for holding in live_holdings(account) if holding.plan.id == plan]
