"""What the portal wrote at the provider, told by the provider's own log, and what its commands say that they did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from accounts.models import Account
from billing.models import Command
from billing.services.mirror import MODELS
from billing.services.operations import DONE, SKIPPED, arguments_of
from billing.tests.app import Intent
from billing.tests.post import Event

Raw = Mapping[str, Any]

# What a step that was done has left in the provider's log, where the kind of event says it all.
TOLD_AS = {
    "pause": "subscription_pause_scheduled",
    "restore_pause": "subscription_pause_scheduled",
    "remove_scheduled_pause": "subscription_scheduled_pause_removed",
    "set_pause_aside": "subscription_scheduled_pause_removed",
    "resume": "subscription_resumed",
    "cancel_at_term_end": "subscription_cancellation_scheduled",
    "cancel_now": "subscription_cancelled",
    "keep": "subscription_scheduled_cancellation_removed",
    "start": "subscription_created",
    "change_at_term_end": "subscription_changes_scheduled",
    "restore_change": "subscription_changes_scheduled",
    "remove_scheduled_change": "subscription_scheduled_changes_removed",
    "set_change_aside": "subscription_scheduled_changes_removed",
    "add_card": "payment_source_added",
    "add_paypal": "payment_source_added",
    "remove_source": "payment_source_deleted",
    "remove_twin": "payment_source_deleted",
}
COUPON, PLAN, PAYER, ROLE = "coupon", "plan", "payer", "role"
COLLECTED, DESCRIBED, REMOVED = "collected", "described", "payment_source_deleted"
# Of these a step finds done what the console or time did before the portal heard of it, and writes nothing.
FOUND_DONE = (COUPON, PAYER, ROLE, COLLECTED, DESCRIBED, REMOVED)
ANYTHING = "anything"
# What no other change of a subscription may touch.
KEPT = ("status", "pause_date", "cancelled_at", "trial_end")
CONTENTS = ("subscription", "customer")


class Entry(NamedTuple):
    """One thing that was written about a subscription, a customer, a payment source or an invoice."""

    subject: str
    topic: str
    what: str = ""


class Seen(NamedTuple):
    """A version of something at the provider."""

    kind: str
    resource: str
    version: int

    def is_known(self) -> bool:
        """Whether the portal has heard of it."""
        row = MODELS[self.kind]._default_manager.filter(provider_id=self.resource).first()
        return row is not None and (row.deleted or row.resource_version >= self.version)


@dataclass
class Log:
    """The provider's events, read in their order: what one wrote is seen from what was told before it."""

    _told: dict[tuple[str, str], Raw] = field(default_factory=dict)
    _bills: set[str] = field(default_factory=set)

    def read(self, event: Event) -> Counter[Entry]:
        """Return what an event tells to have been written, and remember it. What was collected counts in cents."""
        found = Counter(self._written(event["event_type"], event["content"]))
        if self.is_collection(event):
            found[Entry(event["content"]["invoice"]["id"], COLLECTED)] = event["content"]["transaction"][
                "amount"
            ]
        if event["event_type"] == "invoice_generated":
            self._bills.add(event["content"]["invoice"]["id"])
        for kind in CONTENTS:
            if kind in event["content"]:
                self._told[kind, event["content"][kind]["id"]] = event["content"][kind]
        return +found

    def is_collection(self, event: Event, *kinds: str) -> bool:
        """Whether an event tells of money for a bill that was written before: what a change charges comes with it."""
        is_payment = event["event_type"] in (kinds or ("payment_succeeded",))
        return is_payment and event["content"]["invoice"]["id"] in self._bills

    def broken(self, event: Event) -> str:
        """Return what a write of the portal's has done that nothing of ours asks for; empty as a rule."""
        raw = event["content"].get("subscription", {})
        if (
            event["event_type"] == "subscription_pause_scheduled"
            and raw["pause_date"] != raw["current_term_end"]
        ):
            return f"the pause of {raw['id']} does not begin where its term ends"
        before = self._told.get(("subscription", raw.get("id", "")))
        if event["event_type"] == "subscription_changed" and before is not None:
            changed = [name for name in KEPT if before.get(name) != raw.get(name)]
            return f"a change of {raw['id']} changed {changed} too" if changed else ""
        return ""

    def _written(self, kind: str, content: Mapping[str, Raw]) -> Iterator[Entry]:
        if kind in TOLD_AS.values():
            yield Entry(str(content.get("subscription", {}).get("id") or owner_of(content)), kind)
        elif kind == "subscription_changed":
            yield from self._changes(content["subscription"])
        elif kind == "customer_changed":
            yield from self._roles(content["customer"])
        elif kind == "payment_source_updated":
            yield Entry(content["payment_source"]["id"], DESCRIBED)

    def _changes(self, raw: Raw) -> Iterator[Entry]:
        before = self._told.get(("subscription", raw["id"]), raw)
        if _price_of(before) != _price_of(raw):
            yield Entry(raw["id"], PLAN, _price_of(raw))
            return
        for coupon in _coupons_of(raw) - _coupons_of(before):
            yield Entry(raw["id"], COUPON, f"{coupon} on")
        for coupon in _coupons_of(before) - _coupons_of(raw):
            yield Entry(raw["id"], COUPON, f"{coupon} off")
        payer = raw.get("payment_source_id")
        if payer and payer != before.get("payment_source_id"):
            yield Entry(raw["id"], PAYER, payer)

    def _roles(self, raw: Raw) -> Iterator[Entry]:
        before = self._told.get(("customer", raw["id"]), raw)
        for role in ("primary", "backup"):
            holder = raw.get(f"{role}_payment_source_id")
            if holder and holder != before.get(f"{role}_payment_source_id"):
                yield Entry(raw["id"], ROLE, f"{role} {holder}")


@dataclass
class Books:
    """What the portal has written at the provider for one customer, by the provider's own log."""

    made: Counter[Entry] = field(default_factory=Counter)
    # How often an invoice was tried to be collected.
    tried: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    # What the console did while a change was open may have been taken for the change, or have undone it.
    excused: dict[Entry, int] = field(default_factory=dict)
    muddied: bool = False
    # What the console or time wrote, by what it is about, until the portal has heard of it.
    unheard: dict[tuple[str, str], Seen] = field(default_factory=dict)
    intent: Intent | None = None
    # In cents, by subscription or invoice.
    charged: Counter[str] = field(default_factory=Counter)
    moved: bool = False

    def begin(self, intent: Intent | None) -> None:
        """Book what is charged from now on on an intent, or on none."""
        self.intent, self.charged, self.moved = intent, Counter(), False

    def note_written(self, log: Log, event: Event) -> None:
        """Book what the portal wrote; call it before the log has read the event."""
        content = event["content"]
        if event["event_type"] == "invoice_generated":
            invoice = content["invoice"]
            self.charged[invoice["subscription_id"]] += invoice["amount_paid"] + invoice["amount_due"]
        if log.is_collection(event, "payment_succeeded", "payment_failed"):
            self.tried[content["invoice"]["id"]] += 1
        if log.is_collection(event):
            self.charged[content["invoice"]["id"]] += content["transaction"]["amount"]
        if broken := log.broken(event):
            self.broken.append(broken)
        self.made.update(log.read(event))

    def note_others(self, log: Log, event: Event) -> None:
        """Remember what the console or time wrote: the portal may ask for the same before it hears of it."""
        subscription = event["content"].get("subscription")
        if subscription is not None:
            seen = Seen("subscription", subscription["id"], subscription["resource_version"])
            self.unheard[subscription["id"], ANYTHING] = seen
        for entry in log.read(event):
            if entry.topic in FOUND_DONE:
                self.unheard[entry.subject, entry.topic] = _seen(entry, event["content"])

    def check(self, account: Account, name: str) -> bool:
        """Assert that what was done has been written once, and nothing else; return whether all of it is settled."""
        assert self.broken == []
        self._assert_collected_as_often_as_asked(account)
        done = _written_by(account, name, _is_done)
        perhaps = _written_by(account, name, _is_perhaps_done)
        both = self.made.keys() | done.keys() | self.excused.keys()
        ahead = {one: self.made[one] - done[one] - self.excused.get(one, 0) for one in both}
        is_open = Command.objects.filter(account=account, state__in=Command.OPEN).exists()
        if self.muddied:
            if not is_open:
                self.excused = {one: self.made[one] - done[one] for one in both}
                self.muddied = False
                self.begin(None)
            return False
        if not is_open:
            self._hear(ahead)
        ahead = {
            one: count - min(max(count, 0), perhaps[one])
            for one, count in ahead.items()
            if not _is_about(self.unheard, one, count)
        }
        assert all(count >= 0 for count in ahead.values()), f"done and never written: {_told(ahead)}"
        assert is_open or not any(ahead.values()), f"written otherwise than done: {_told(ahead)}"
        return not is_open

    def _hear(self, ahead: dict[Entry, int]) -> None:
        """Excuse what was asked for and found done, once the portal has heard of who did it."""
        heard = {about for about, seen in self.unheard.items() if seen.is_known()}
        for entry in [one for one, count in ahead.items() if _is_about(heard, one, count)]:
            self.excused[entry] = self.excused.get(entry, 0) + ahead.pop(entry)
        self.unheard = {about: seen for about, seen in self.unheard.items() if about not in heard}

    def _assert_collected_as_often_as_asked(self, account: Account) -> None:
        """Assert that no bill was tried more often than a command has asked for it: each decline counts."""
        asked = Counter[str]()
        for command in Command.objects.filter(account=account):
            for one in command.steps:
                if one["op"] == "collect" and "begun_at" in one:
                    asked[one["args"]["invoice"]] += 1 + one["try"]
        assert self.tried - asked == Counter(), "a bill was collected more often than asked for"


def _is_about(known: Container[tuple[str, str]], entry: Entry, ahead: int) -> bool:
    """Whether it is known that somebody else wrote the same, or wrote what a step took for its own."""
    found_done = ahead < 0 and (entry.subject, ANYTHING) in known
    return found_done or (entry.subject, entry.topic) in known


def owner_of(content: Mapping[str, Raw]) -> str:
    """Return the customer that an event's content is about."""
    for name in ("subscription", "payment_source", "invoice"):
        if name in content:
            return str(content[name]["customer_id"])
    return str(content.get("customer", {}).get("id", ""))


def _written_by(account: Account, name: str, chosen: Callable[[Raw], bool]) -> Counter[Entry]:
    """Return what those of an account's steps that are chosen must have written."""
    written = Counter[Entry]()
    for command in Command.objects.filter(account=account):
        for index, one in enumerate(command.steps):
            if chosen(one):
                written.update(dict(_entries_of(one, arguments_of(command, index), name)))
    return written


def _is_done(step: Raw) -> bool:
    return bool(step["state"] == DONE)


def _is_perhaps_done(step: Raw) -> bool:
    """Whether a step was begun, and needed no more when the portal had heard of it; or ended among several writes."""
    is_half_done = step["op"] == "swap_coupons" and step["state"] == "failed"
    return "begun_at" in step and (step["state"] == SKIPPED or is_half_done)


def _entries_of(step: Raw, asked: Mapping[str, Any], name: str) -> Iterator[tuple[Entry, int]]:
    """Return what a step that was done must have written, and how often, or how many cents of it."""
    operation, subscription = step["op"], step["subscription"]
    if operation == "swap_coupons":
        yield from _entries_of_swap(subscription, asked)
    elif operation == "collect":
        yield Entry(asked["invoice"], COLLECTED), step.get("made", 0)
    elif operation in TOLD_AS:
        yield Entry(subscription or name, TOLD_AS[operation]), 1
    elif operation in _TOLD_IN:
        yield _TOLD_IN[operation](name, subscription, asked), 1


def _entries_of_swap(subscription: str, asked: Mapping[str, Any]) -> Iterator[tuple[Entry, int]]:
    for way, coupons in (("on", asked["add"]), ("off", asked["remove"])):
        for coupon in coupons:
            yield Entry(subscription, COUPON, f"{coupon} {way}"), 1
    if asked["changing_to"]:
        yield Entry(subscription, TOLD_AS["change_at_term_end"]), 1


# What an event tells by how it differs from what was told before.
_TOLD_IN: dict[str, Callable[[str, str, Mapping[str, Any]], Entry]] = {
    "change_now": lambda _, subscription, asked: Entry(subscription, PLAN, asked["price"]),
    "take_role": lambda name, _, asked: Entry(name, ROLE, f"{asked['role']} {asked['source']}"),
    "make_payer_primary": lambda name, _, asked: Entry(name, ROLE, f"primary {asked['source']}"),
    "take_subscription": lambda _name, _, asked: Entry(asked["subscription"], PAYER, asked["source"]),
    "update_card": lambda _name, _, asked: Entry(asked["source"], DESCRIBED),
    "describe_card": lambda _name, _, asked: Entry(asked["source"], DESCRIBED),
}


def _seen(entry: Entry, content: Mapping[str, Raw]) -> Seen:
    kind = {COUPON: "subscription", PAYER: "subscription", ROLE: "customer", COLLECTED: "invoice"}.get(
        entry.topic, "payment_source"
    )
    return Seen(kind, content[kind]["id"], content[kind]["resource_version"])


def _price_of(raw: Raw) -> str:
    return str(raw["subscription_items"][0]["item_price_id"])


def _coupons_of(raw: Raw) -> set[str]:
    return {one["coupon_id"] for one in raw.get("coupons") or ()}


def _told(ahead: Mapping[Entry, int]) -> dict[Entry, int]:
    return {one: count for one, count in ahead.items() if count}
