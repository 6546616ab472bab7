"""The app in a subscriber's hands: what it asks the portal for first, and what it sends when that is confirmed."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from accounts.models import Account
from billing.queries.holdings import NON_RENEWING, Holding
from billing.queries.ownership import live_holdings
from billing.queries.payment_methods import CARD, PAYPAL, SOURCE_KINDS, due_invoices, wallet_of
from billing.queries.totals import YEAR
from billing.tests.api.browser import Browser
from billing.tests.support.subscriber_wallet import SubscriberWallet

ACCOUNT = "/api/account"
PAYMENTS = "/api/payments"
METHODS = f"{PAYMENTS}/updatePaymentSources"
PROFILE = "/api/account/profile/update"
OWNER = {"firstName": "Grace", "lastName": "Van Dyke", "billingState": "Ohio", "billingZip": "43004"}


@dataclass(frozen=True)
class AppWish:
    """What a subscriber wants.

    `plans` are those it is about, None for all; `word` is a code, a reason to leave, the screen that offered it, a
    card's number or a name; `place` says which of the payment methods, the oldest first.
    """

    what: str
    plans: frozenset[str] | None = None
    word: str = ""
    place: int = 0


@dataclass
class AppRequest:
    """A request with its key, as often as it is sent; `shown` is what it was said to charge at once, in cents.

    One that `collects` may charge less: a decline of what is due is no error. `charged` is what it did charge so far,
    None where that cannot be told apart from another one's; `command_key` is the key of the command that it became.
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
    """The app shows no way to it, or the portal gave no figures for it."""


@dataclass
class SubscriberApp:
    """Makes requests of wishes, with what the account holds in sight, and sends them."""

    account: Account
    purse: SubscriberWallet
    _keys: itertools.count[int] = field(default_factory=itertools.count)

    def prepare_request(self, wish: AppWish) -> AppRequest:
        """Ask for what has to be shown first; return what is sent when it is confirmed. Raises NotOffered."""
        path, body, shown = getattr(self, f"_{wish.what}")(wish)
        return AppRequest(path, body, f"intent-{next(self._keys)}", shown, collects=path == METHODS)

    def send_request(self, intent: AppRequest) -> Any:
        """Send a request, with its key; return the answer."""
        return Browser(self.account).post(
            intent.path, intent.body, headers={"Idempotency-Key": intent.key}, format="json"
        )

    def _whatever(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        """Want one of the things that the screens offer at this moment."""
        held = live_holdings(self.account)
        offered = [what for holding in held for what in self._offered_for(holding)]
        if not held:
            offered = [AppWish("want", wish.plans)]
        if due_invoices(self.account):
            offered += [replace(wish, what=what) for what in ("make_default", "add_card", "replace_card")]
        chosen = offered[wish.place % len(offered)]
        found: tuple[str, dict[str, Any], int] = getattr(self, f"_{chosen.what}")(chosen)
        return found

    def _offered_for(self, one: Holding) -> Iterator[AppWish]:
        own = frozenset([one.plan.id])
        if one.is_paused:
            yield AppWish("resume", own)
        elif one.status == NON_RENEWING:
            yield AppWish("keep", own)
        elif one.subscription.has_scheduled_changes:
            yield AppWish("undo_change", own)
        else:
            yield AppWish("downgrade" if one.subscription.period_unit == YEAR else "upgrade", own)
        if one.has_scheduled_pause:
            yield AppWish("take_pause_back", own)
        elif one.can_be_paused:
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
        one = {"subscriptionId": self._pick_ids(wish.plans)[:1]}
        return f"{ACCOUNT}/subscription/remove-scheduled-pause", one, 0

    def _resume(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        named = {} if wish.plans is None else {"subscriptionId": self._pick_ids(wish.plans)}
        shown = self._read_screen(f"{ACCOUNT}/resume/estimate", named, read=True)
        return f"{ACCOUNT}/resume", {**named, "quote": shown["quote"]}, shown["amountDue"]

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
            {"subscriptionId": _first_only(ending)},
            0,
        )

    def _undo_change(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        changing = [
            holding.subscription.provider_id
            for holding in live_holdings(self.account)
            if holding.subscription.has_scheduled_changes and holding.plan.id in (wish.plans or ())
        ]
        return f"{ACCOUNT}/subscription/remove-scheduled-change", {"subscriptionId": _first_only(changing)}, 0

    def _want(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        body = {"planIds": sorted(wish.plans or ())}
        shown = self._read_screen(f"{ACCOUNT}/add-remove-service/estimate", body)
        return f"{ACCOUNT}/add-remove-service", {**body, "quote": shown["quote"]}, shown["dueNow"]

    def _upgrade(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        return self._switch("upgrade", wish)

    def _downgrade(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        return self._switch("downgrade", wish)

    def _switch(self, direction: str, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        body = {} if wish.plans is None else {"planIds": sorted(wish.plans)}
        shown = self._read_screen(f"{ACCOUNT}/{direction}/estimate", body, read=True)
        return f"{ACCOUNT}/{direction}", {**body, "quote": shown["quote"]}, shown["dueNow"]

    def _redeem(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        return f"{ACCOUNT}/add-coupon/{wish.word}", {}, 0

    def _claim(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        shown = self._read_screen(f"{ACCOUNT}/claim-my-offer/estimate")
        if not shown["eligible"]:
            raise NotOffered
        return f"{ACCOUNT}/claim-my-offer", {"quote": shown["quote"]}, 0

    def _add_card(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        token = self.purse.create_token(wish.word)
        return self._with_dues({"operationType": "ADD", "paymentsource": "CARD", "token": token, **OWNER})

    def _replace_card(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        source = self._pick_source(wish.place, CARD)
        path, body, shown = self._add_card(wish)
        return path, {**body, "operationType": "UPDATE", "paymentSourceId": source}, shown

    def _add_paypal(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        made = Browser(self.account).post(f"{PAYMENTS}/paymentToken", format="json")
        if made.status_code != 200:
            raise NotOffered
        intent = made.json()["id"]
        self.purse.agree_to_paypal(intent)
        return self._with_dues({"operationType": "ADD", "paymentsource": "PAYPAL", "token": intent})

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
        return self._with_dues({"operationType": "SETPRIMARY", **named})

    def _remove_card(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        return METHODS, {"operationType": "DELETE", "paymentSourceId": self._pick_source(wish.place)}, 0

    def _want_mail(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        kinds = ("newsLetter", "streaming", "promotions", "branding")
        return f"{ACCOUNT}/communicationPreferences", {kind: kind == wish.word for kind in kinds}, 0

    def _sign_others_out(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        return f"{ACCOUNT}/sessions/revoke-others", {}, 0

    def _rename(self, wish: AppWish) -> tuple[str, dict[str, Any], int]:
        return PROFILE, {"firstName": wish.word, "lastName": "Tester", "bmonth": 0, "bday": 0}, 0

    def _with_dues(self, body: dict[str, Any]) -> tuple[str, dict[str, Any], int]:
        """Return a change of payment methods that collects what is due, as it is shown."""
        shown = self._read_screen(f"{PAYMENTS}/")
        return METHODS, {**body, "quote": shown["quote"]}, shown["amountDue"]

    def _read_screen(self, path: str, body: dict[str, Any] | None = None, *, read: bool = False) -> Any:
        browser = Browser(self.account)
        answer = browser.get(path, body) if body is None or read else browser.post(path, body, format="json")
        if answer.status_code != 200:
            raise NotOffered
        return answer.json()

    def _pick_ids(self, plans: Collection[str]) -> list[str]:
        held = live_holdings(self.account)
        found = [holding.subscription.provider_id for holding in held if holding.plan.id in plans]
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


def _first_only(ids: list[str]) -> list[str]:
    if not ids:
        raise NotOffered
    return ids[:1]
