"""The app of a subscriber: the previews that it requests, and the requests that it sends on confirmation."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.queries.payments.payment_methods import CARD, PAYPAL, SOURCE_KINDS, due_invoices, wallet_of
from billing.queries.subscriptions.holdings import NON_RENEWING, Holding
from billing.queries.subscriptions.ownership import live_holdings
from billing.terms import YEAR
from billing.tests.api.browser import Browser
from billing.tests.support.subscriber_wallet import SubscriberWallet
from chargebee_sandbox.tests.support.hosted_fields import Payer

ACCOUNT = "/api/account"
PAYMENTS = "/api/payments"
METHODS = f"{PAYMENTS}/updatePaymentSources"
PROFILE = "/api/account/profile/update"
OWNER = {"firstName": "Grace", "lastName": "Van Dyke", "billingState": "Ohio", "billingZip": "43004"}


@dataclass(frozen=True)
class AppWish:
    """What a subscriber wants.

    `plans` is None for all; `word` is a code, a cancellation reason, the screen that offered it, a card number or a
    name; `place` is the index of a payment method, oldest first. If it `asks_bank`, the bank of the default card
    confirms each charge of the change first.
    """

    what: str
    plans: frozenset[str] | None = None
    word: str = ""
    place: int = 0
    asks_bank: bool = False


@dataclass
class AppRequest:
    """A request with its key, for all its retries; `shown` is its charge according to the preview, in cents.

    One that `collects` may charge less, because a decline of due invoices is no error. `charged` is its charge so far,
    or None if it cannot be told apart from another one's; `command_key` is the key of its command.
    """

    path: str
    body: dict[str, Any]
    key: str
    shown: int
    collects: bool = False
    charged: int | None = 0
    command_key: str = ""
    first_sent_at: datetime | None = None


class NotOffered(Exception):
    """The app does not offer this change, or the portal refused its preview."""


@dataclass
class SubscriberApp:
    """Prepares the requests of wishes from the account's state, and sends them."""

    account: Account
    wallet: SubscriberWallet
    _keys: itertools.count[int] = field(default_factory=itertools.count)

    def prepare_request(self, wish: AppWish) -> AppRequest:
        """Request the preview of a wish; return the request to send on confirmation. Raises NotOffered."""
        path, body, shown = getattr(self, f"_{wish.what}")(wish)
        return AppRequest(path, body, f"intent-{next(self._keys)}", shown, collects=path == METHODS)

    def send_request(self, intent: AppRequest) -> Any:
        """Send a request, with its key; return the answer."""
        return Browser(self.account).post(
            intent.path, intent.body, headers={"Idempotency-Key": intent.key}, format="json"
        )

    def _whatever(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        """Prepare one of the changes that the screens offer now."""
        holdings = live_holdings(self.account)
        offered = [what for holding in holdings for what in self._offered_for(holding)]
        if not holdings:
            offered = [AppWish("want", wish.plans)]
        if due_invoices(self.account):
            offered += [replace(wish, what=what) for what in ("make_default", "add_card", "replace_card")]
        chosen = replace(offered[wish.place % len(offered)], asks_bank=wish.asks_bank)
        found: tuple[str, dict[str, Any], int] = getattr(self, f"_{chosen.what}")(chosen)
        return found

    def _offered_for(self, holding: Holding) -> Iterator[AppWish]:
        own = frozenset([holding.plan.id])
        if holding.is_paused:
            yield AppWish("resume", own)
        elif holding.status == NON_RENEWING:
            yield AppWish("keep", own)
        elif holding.subscription.has_scheduled_changes:
            yield AppWish("undo_change", own)
        else:
            yield AppWish("downgrade" if holding.terms.period_unit == YEAR else "upgrade", own)
        if holding.has_scheduled_pause:
            yield AppWish("take_pause_back", own)
        elif holding.can_be_paused:
            yield AppWish("pause", own)
        yield AppWish("cancel", own, word="Too expensive")

    def _pause(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        if wish.plans is None:
            return f"{ACCOUNT}/pause?days=30{wish.word and f'&offer={wish.word}'}", {}, 0
        offered = {"offer": wish.word, "reason": "Too expensive"} if wish.word else {}
        body = {"subscriptionId": self._pick_ids(wish.plans), **offered}
        return f"{ACCOUNT}/subscriptions/multiple-pause", body, 0

    def _take_pause_back(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        if wish.plans is None:
            return f"{ACCOUNT}/remove-scheduled-pause", {}, 0
        body = {"subscriptionId": self._pick_ids(wish.plans)[:1]}
        return f"{ACCOUNT}/subscription/remove-scheduled-pause", body, 0

    def _resume(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        named = {} if wish.plans is None else {"subscriptionId": self._pick_ids(wish.plans)}
        shown = self._read_screen(f"{ACCOUNT}/resume/estimate", named, read=True)
        return f"{ACCOUNT}/resume", {**named, **self._confirm_figures(wish, shown)}, shown["amountDue"]

    def _cancel(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        body = {"reason": wish.word}
        if wish.plans is None:
            return f"{ACCOUNT}/cancel", body, 0
        return f"{ACCOUNT}/subscriptions/cancel", {**body, "subscriptionIds": self._pick_ids(wish.plans)}, 0

    def _keep(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        ending = [
            holding.subscription.provider_id
            for holding in live_holdings(self.account)
            if holding.status == NON_RENEWING and holding.plan.id in (wish.plans or ())
        ]
        return (
            f"{ACCOUNT}/subscription/remove-scheduled-cancellation",
            {"subscriptionId": _first_or_refuse(ending)},
            0,
        )

    def _undo_change(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        changing = [
            holding.subscription.provider_id
            for holding in live_holdings(self.account)
            if holding.subscription.has_scheduled_changes and holding.plan.id in (wish.plans or ())
        ]
        return f"{ACCOUNT}/subscription/remove-scheduled-change", {"subscriptionId": _first_or_refuse(changing)}, 0

    def _want(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        body = {"planIds": sorted(wish.plans or ())}
        shown = self._read_screen(f"{ACCOUNT}/add-remove-service/estimate", body)
        return f"{ACCOUNT}/add-remove-service", {**body, **self._confirm_figures(wish, shown)}, shown["dueNow"]

    def _upgrade(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        return self._switch("upgrade", wish)

    def _downgrade(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        return self._switch("downgrade", wish)

    def _switch(self, direction: str, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        body = {} if wish.plans is None else {"planIds": sorted(wish.plans)}
        shown = self._read_screen(f"{ACCOUNT}/{direction}/estimate", body, read=True)
        return f"{ACCOUNT}/{direction}", {**body, **self._confirm_figures(wish, shown)}, shown["dueNow"]

    def _redeem(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        return f"{ACCOUNT}/add-coupon/{wish.word}", {}, 0

    def _claim(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        shown = self._read_screen(f"{ACCOUNT}/claim-my-offer/estimate")
        if not shown["eligible"]:
            raise NotOffered
        return f"{ACCOUNT}/claim-my-offer", {"quote": shown["quote"]}, 0

    def _add_card(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        intent = self._create_intent(CARD)
        Payer(self.wallet.provider.sandbox.url).authorize_card(intent, wish.word)
        return self._collecting_change({"operationType": "ADD", "paymentsource": "CARD", "token": intent, **OWNER})

    def _replace_card(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        source = self._pick_source(wish.place, CARD)
        path, body, shown = self._add_card(wish)
        return path, {**body, "operationType": "UPDATE", "paymentSourceId": source}, shown

    def _add_paypal(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        intent = self._create_intent(PAYPAL)
        self.wallet.agree_to_paypal(intent)
        return self._collecting_change({"operationType": "ADD", "paymentsource": "PAYPAL", "token": intent})

    def _confirm_figures(self, wish: AppWish, shown: dict[str, Any]) -> dict[str, Any]:
        """Return what confirms a preview: its quote and, if the bank is asked, an intent for each charge."""
        confirmed = {"quote": shown["quote"]}
        if not (wish.asks_bank and shown["charges"]):
            return confirmed
        currency = shown.get("dueCurrencyCode") or shown["currencyCode"]
        return {**confirmed, "paymentIntents": [self._ask_bank(amount, currency) for amount in shown["charges"]]}

    def _ask_bank(self, amount: int, currency: str) -> str:
        """Have the bank of the default card confirm an amount; return the intent's id. Raises NotOffered."""
        cards = [card for card in self._read_screen(f"{PAYMENTS}/")["card"] if card["primaryPaymentSource"]]
        if not cards:
            raise NotOffered
        charge = {"paymentSourceId": cards[0]["paymentSourceId"], "amount": amount, "currencyCode": currency}
        intent = self._create_intent(CARD, **charge)
        if not Payer(self.wallet.provider.sandbox.url).authorize_stored_card(intent):
            raise NotOffered
        return intent

    def _create_intent(self, method: str, **charge: Any) -> str:
        body = {"paymentsource": method, **charge}
        answer = Browser(self.account).post(f"{PAYMENTS}/paymentToken", body, format="json")
        if answer.status_code != 200:
            raise NotOffered
        return str(answer.json()["id"])

    def _replace_paypal(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        source = self._pick_source(wish.place, PAYPAL)
        path, body, shown = self._add_paypal(wish)
        return path, {**body, "operationType": "UPDATE", "paymentSourceId": source}, shown

    def _describe_card(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        owner = {**OWNER, "firstName": wish.word}
        named = {"paymentSourceId": self._pick_source(wish.place, CARD)}
        return METHODS, {"operationType": "UPDATE", "paymentsource": "CARD", **named, **owner}, 0

    def _make_default(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        named = {"paymentSourceId": self._pick_source(wish.place)}
        return self._collecting_change({"operationType": "SETPRIMARY", **named})

    def _remove_card(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        return METHODS, {"operationType": "DELETE", "paymentSourceId": self._pick_source(wish.place)}, 0

    def _want_mail(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        kinds = ("newsLetter", "streaming", "promotions", "branding")
        return f"{ACCOUNT}/communicationPreferences", {kind: kind == wish.word for kind in kinds}, 0

    def _sign_others_out(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        return f"{ACCOUNT}/sessions/revoke-others", {}, 0

    def _rename(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        return PROFILE, {"firstName": wish.word, "lastName": "Tester", "bmonth": 0, "bday": 0}, 0

    def _collecting_change(self, body: dict[str, Any]) -> tuple[str, dict[str, Any], int]:
        """Return a change of payment methods that collects the amount due, with its quote."""
        shown = self._read_screen(f"{PAYMENTS}/")
        return METHODS, {**body, "quote": shown["quote"]}, shown["amountDue"]

    def _read_screen(self, path: str, body: dict[str, Any] | None = None, *, read: bool = False) -> Any:
        browser = Browser(self.account)
        answer = browser.get(path, body) if body is None or read else browser.post(path, body, format="json")
        if answer.status_code != 200:
            raise NotOffered
        return answer.json()

    def _pick_ids(self, plans: Collection[str]) -> list[str]:
        holdings = live_holdings(self.account)
        found = [holding.subscription.provider_id for holding in holdings if holding.plan.id in plans]
        if not found:
            raise NotOffered
        return found

    def _pick_source(self, place: int, *kinds: str) -> str:
        wallet = wallet_of(self.account)
        sources = [
            source for source in wallet.sources if SOURCE_KINDS[source.text("type")] in (kinds or (CARD, PAYPAL))
        ]
        if not sources:
            raise NotOffered
        return str(sources[min(place, len(sources) - 1)].provider_id)


def _first_or_refuse(ids: list[str]) -> list[str]:
    if not ids:
        raise NotOffered
    return ids[:1]
