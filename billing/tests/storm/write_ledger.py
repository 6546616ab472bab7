"""What the portal wrote at the provider, told by the provider's own log, and what its commands say that they did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from accounts.models import Account
from billing.mirror.writer import MODELS_BY_KIND
from billing.models import Command
from billing.models.steps import Step, StepOperation, StepState, resolve_arguments
from billing.tests.storm.subscriber_app import AppRequest
from billing.tests.support.webhook_delivery import Event

RawObject = Mapping[str, Any]

# What a step that was done has left in the provider's log, where the kind of event says it all.
EVENT_NAMES = {
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
SKIPPABLE_TOPICS = (COUPON, PAYER, ROLE, COLLECTED, DESCRIBED, REMOVED)
ANYTHING = "anything"
# What no other change of a subscription may touch.
KEPT = ("status", "pause_date", "cancelled_at", "trial_end")
CONTENTS = ("subscription", "customer")


class LedgerEntry(NamedTuple):
    """One thing that was written about a subscription, a customer, a payment source or an invoice."""

    subject: str
    topic: str
    what: str = ""


class SeenVersion(NamedTuple):
    """A version of something at the provider."""

    kind: str
    resource: str
    version: int

    def is_known(self) -> bool:
        """Whether the portal has heard of it."""
        row = MODELS_BY_KIND[self.kind]._default_manager.filter(provider_id=self.resource).first()
        return row is not None and (row.deleted or row.resource_version >= self.version)


@dataclass
class ProviderLog:
    """The provider's events, read in their order: what one wrote is seen from what was told before it."""

    _told: dict[tuple[str, str], RawObject] = field(default_factory=dict)
    _bills: set[str] = field(default_factory=set)

    def count_writes(self, event: Event) -> Counter[LedgerEntry]:
        """Return what an event tells to have been written, and remember it. What was collected counts in cents."""
        found = Counter(self._written_entries(event["event_type"], event["content"]))
        if self.is_collection(event):
            found[LedgerEntry(event["content"]["invoice"]["id"], COLLECTED)] = event["content"]["transaction"]["amount"]
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

    def describe_violation(self, event: Event) -> str:
        """Return what a write of the portal's has done that nothing of ours asks for; empty as a rule."""
        raw = event["content"].get("subscription", {})
        if event["event_type"] == "subscription_pause_scheduled" and raw["pause_date"] != raw["current_term_end"]:
            return f"the pause of {raw['id']} does not begin where its term ends"
        before = self._told.get(("subscription", raw.get("id", "")))
        if event["event_type"] == "subscription_changed" and before is not None:
            changed = [name for name in KEPT if before.get(name) != raw.get(name)]
            return f"a change of {raw['id']} changed {changed} too" if changed else ""
        return ""

    def _written_entries(self, kind: str, content: Mapping[str, RawObject]) -> Iterator[LedgerEntry]:
        if kind in EVENT_NAMES.values():
            yield LedgerEntry(str(content.get("subscription", {}).get("id") or owner_of(content)), kind)
        elif kind == "subscription_changed":
            yield from self._subscription_changes(content["subscription"])
        elif kind == "customer_changed":
            yield from self._payment_roles(content["customer"])
        elif kind == "payment_source_updated":
            yield LedgerEntry(content["payment_source"]["id"], DESCRIBED)

    def _subscription_changes(self, raw: RawObject) -> Iterator[LedgerEntry]:
        before = self._told.get(("subscription", raw["id"]), raw)
        if _price_of(before) != _price_of(raw):
            yield LedgerEntry(raw["id"], PLAN, _price_of(raw))
            return
        for coupon in _coupons_of(raw) - _coupons_of(before):
            yield LedgerEntry(raw["id"], COUPON, f"{coupon} on")
        for coupon in _coupons_of(before) - _coupons_of(raw):
            yield LedgerEntry(raw["id"], COUPON, f"{coupon} off")
        payer = raw.get("payment_source_id")
        if payer and payer != before.get("payment_source_id"):
            yield LedgerEntry(raw["id"], PAYER, payer)

    def _payment_roles(self, raw: RawObject) -> Iterator[LedgerEntry]:
        before = self._told.get(("customer", raw["id"]), raw)
        for role in ("primary", "backup"):
            holder = raw.get(f"{role}_payment_source_id")
            if holder and holder != before.get(f"{role}_payment_source_id"):
                yield LedgerEntry(raw["id"], ROLE, f"{role} {holder}")


@dataclass
class WriteLedger:
    """What the portal has written at the provider for one customer, by the provider's own log."""

    made: Counter[LedgerEntry] = field(default_factory=Counter)
    # How often an invoice was tried to be collected.
    tried: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    # What the console did while a change was open may have been taken for the change, or have undone it.
    excused: dict[LedgerEntry, int] = field(default_factory=dict)
    muddied: bool = False
    # What the console or time wrote, by what it is about, until the portal has heard of it.
    unheard: dict[tuple[str, str], SeenVersion] = field(default_factory=dict)
    intent: AppRequest | None = None
    # In cents, by subscription or invoice.
    charged: Counter[str] = field(default_factory=Counter)
    moved: bool = False

    def begin_intent(self, intent: AppRequest | None) -> None:
        """Book what is charged from now on on an intent, or on none."""
        self.intent, self.charged, self.moved = intent, Counter(), False

    def note_written(self, log: ProviderLog, event: Event) -> None:
        """Book what the portal wrote; call it before the log has read the event."""
        content = event["content"]
        if event["event_type"] == "invoice_generated":
            invoice = content["invoice"]
            self.charged[invoice["subscription_id"]] += invoice["amount_paid"] + invoice["amount_due"]
        if log.is_collection(event, "payment_succeeded", "payment_failed"):
            self.tried[content["invoice"]["id"]] += 1
        if log.is_collection(event):
            self.charged[content["invoice"]["id"]] += content["transaction"]["amount"]
        if broken := log.describe_violation(event):
            self.broken.append(broken)
        self.made.update(log.count_writes(event))

    def note_others(self, log: ProviderLog, event: Event) -> None:
        """Remember what the console or time wrote: the portal may ask for the same before it hears of it."""
        subscription = event["content"].get("subscription")
        if subscription is not None:
            seen = SeenVersion("subscription", subscription["id"], subscription["resource_version"])
            self.unheard[subscription["id"], ANYTHING] = seen
        for entry in log.count_writes(event):
            if entry.topic in SKIPPABLE_TOPICS:
                self.unheard[entry.subject, entry.topic] = _seen_version(entry, event["content"])

    def balance_books(self, account: Account, name: str) -> bool:
        """Assert that what was done has been written once, and nothing else; return whether all of it is settled."""
        assert self.broken == []
        self._assert_collected_as_often_as_asked(account)
        done = _expected_entries(account, name, _is_done)
        perhaps = _expected_entries(account, name, _is_perhaps_done)
        both = self.made.keys() | done.keys() | self.excused.keys()
        ahead = {entry: self.made[entry] - done[entry] - self.excused.get(entry, 0) for entry in both}
        is_open = Command.objects.filter(account=account, state__in=Command.OPEN).exists()
        if self.muddied:
            if not is_open:
                self.excused = {entry: self.made[entry] - done[entry] for entry in both}
                self.muddied = False
                self.begin_intent(None)
            return False
        if not is_open:
            self._excuse_heard(ahead)
        ahead = {
            entry: count - min(max(count, 0), perhaps[entry])
            for entry, count in ahead.items()
            if not _is_known_entry(self.unheard, entry, count)
        }
        assert all(count >= 0 for count in ahead.values()), f"done and never written: {_nonzero_entries(ahead)}"
        assert is_open or not any(ahead.values()), f"written otherwise than done: {_nonzero_entries(ahead)}"
        return not is_open

    def _excuse_heard(self, ahead: dict[LedgerEntry, int]) -> None:
        """Excuse what was asked for and found done, once the portal has heard of who did it."""
        heard = {about for about, seen in self.unheard.items() if seen.is_known()}
        for entry in [entry for entry, count in ahead.items() if _is_known_entry(heard, entry, count)]:
            self.excused[entry] = self.excused.get(entry, 0) + ahead.pop(entry)
        self.unheard = {about: seen for about, seen in self.unheard.items() if about not in heard}

    def _assert_collected_as_often_as_asked(self, account: Account) -> None:
        """Assert that no bill was tried more often than a command has asked for it: each decline counts."""
        asked = Counter[str]()
        for command in Command.objects.filter(account=account):
            for step in command.steps:
                if step.operation == StepOperation.COLLECT and step.begun_at is not None:
                    asked[step.arguments["invoice"]] += 1 + step.attempt
        assert self.tried - asked == Counter(), "a bill was collected more often than asked for"


def _is_known_entry(known: Container[tuple[str, str]], entry: LedgerEntry, ahead: int) -> bool:
    """Whether it is known that somebody else wrote the same, or wrote what a step took for its own."""
    found_done = ahead < 0 and (entry.subject, ANYTHING) in known
    return found_done or (entry.subject, entry.topic) in known


def owner_of(content: Mapping[str, RawObject]) -> str:
    """Return the customer that an event's content is about."""
    for name in ("subscription", "payment_source", "invoice"):
        if name in content:
            return str(content[name]["customer_id"])
    return str(content.get("customer", {}).get("id", ""))


def _expected_entries(account: Account, name: str, chosen: Callable[[Step], bool]) -> Counter[LedgerEntry]:
    """Return what those of an account's steps that are chosen must have written."""
    written = Counter[LedgerEntry]()
    for command in Command.objects.filter(account=account):
        for index, step in enumerate(command.steps):
            if chosen(step):
                arguments = resolve_arguments(command.steps, index)
                written.update(dict(_entries_of_step(step, arguments, name)))
    return written


def _is_done(step: Step) -> bool:
    return step.is_done


def _is_perhaps_done(step: Step) -> bool:
    """Whether a step was begun, and needed no more when the portal had heard of it; or ended among several writes."""
    is_half_done = step.operation == StepOperation.SWAP_COUPONS and step.state == StepState.FAILED
    return step.begun_at is not None and (step.state == StepState.SKIPPED or is_half_done)


def _entries_of_step(step: Step, asked: Mapping[str, Any], name: str) -> Iterator[tuple[LedgerEntry, int]]:
    """Return what a step that was done must have written, and how often, or how many cents of it."""
    operation, subscription = step.operation, step.subscription_id
    if operation == "swap_coupons":
        yield from _entries_of_swap(subscription, asked)
    elif operation == "collect":
        yield LedgerEntry(asked["invoice"], COLLECTED), step.result or 0
    elif operation in EVENT_NAMES:
        yield LedgerEntry(subscription or name, EVENT_NAMES[operation]), 1
    elif operation in _EVENT_READERS:
        yield _EVENT_READERS[operation](name, subscription, asked), 1


def _entries_of_swap(subscription: str, asked: Mapping[str, Any]) -> Iterator[tuple[LedgerEntry, int]]:
    for way, coupons in (("on", asked["add"]), ("off", asked["remove"])):
        for coupon in coupons:
            yield LedgerEntry(subscription, COUPON, f"{coupon} {way}"), 1
    if asked["changing_to"]:
        yield LedgerEntry(subscription, EVENT_NAMES["change_at_term_end"]), 1


# What an event tells by how it differs from what was told before.
_EVENT_READERS: dict[str, Callable[[str, str, Mapping[str, Any]], LedgerEntry]] = {
    "change_now": lambda _, subscription, asked: LedgerEntry(subscription, PLAN, asked["price"]),
    "take_role": lambda name, _, asked: LedgerEntry(name, ROLE, f"{asked['role']} {asked['source']}"),
    "make_payer_primary": lambda name, _, asked: LedgerEntry(name, ROLE, f"primary {asked['source']}"),
    "take_subscription": lambda _name, _, asked: LedgerEntry(asked["subscription"], PAYER, asked["source"]),
    "update_card": lambda _name, _, asked: LedgerEntry(asked["source"], DESCRIBED),
    "describe_card": lambda _name, _, asked: LedgerEntry(asked["source"], DESCRIBED),
}


def _seen_version(entry: LedgerEntry, content: Mapping[str, RawObject]) -> SeenVersion:
    kind = {COUPON: "subscription", PAYER: "subscription", ROLE: "customer", COLLECTED: "invoice"}.get(
        entry.topic, "payment_source"
    )
    return SeenVersion(kind, content[kind]["id"], content[kind]["resource_version"])


def _price_of(raw: RawObject) -> str:
    return str(raw["subscription_items"][0]["item_price_id"])


def _coupons_of(raw: RawObject) -> set[str]:
    return {coupon["coupon_id"] for coupon in raw.get("coupons") or ()}


def _nonzero_entries(ahead: Mapping[LedgerEntry, int]) -> dict[LedgerEntry, int]:
    return {entry: count for entry, count in ahead.items() if count}
