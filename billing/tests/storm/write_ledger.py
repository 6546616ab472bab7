"""The portal's writes according to the provider's event log, compared with the steps of its commands."""

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

# The event type of a done step, for operations that the type alone identifies.
EVENT_NAMES: dict[StepOperation, str] = {
    StepOperation.PAUSE: "subscription_pause_scheduled",
    StepOperation.RESTORE_PAUSE: "subscription_pause_scheduled",
    StepOperation.REMOVE_SCHEDULED_PAUSE: "subscription_scheduled_pause_removed",
    StepOperation.SET_PAUSE_ASIDE: "subscription_scheduled_pause_removed",
    StepOperation.RESUME: "subscription_resumed",
    StepOperation.CANCEL_AT_TERM_END: "subscription_cancellation_scheduled",
    StepOperation.CANCEL_NOW: "subscription_cancelled",
    StepOperation.KEEP: "subscription_scheduled_cancellation_removed",
    StepOperation.START_SUBSCRIPTION: "subscription_created",
    StepOperation.CHANGE_AT_TERM_END: "subscription_changes_scheduled",
    StepOperation.RESTORE_CHANGE: "subscription_changes_scheduled",
    StepOperation.REMOVE_SCHEDULED_CHANGE: "subscription_scheduled_changes_removed",
    StepOperation.SET_CHANGE_ASIDE: "subscription_scheduled_changes_removed",
    StepOperation.ADD_SOURCE: "payment_source_added",
    StepOperation.REMOVE_SOURCE: "payment_source_deleted",
    StepOperation.REMOVE_DUPLICATE: "payment_source_deleted",
}
GIVING_OPERATIONS = (
    StepOperation.REFUND_INVOICE,
    StepOperation.CREDIT_INVOICE,
    StepOperation.ADD_PROMOTIONAL_CREDIT,
)
COUPON, PLAN, PAYER, ROLE = "coupon", "plan", "payer", "role"
COLLECTED, DESCRIBED, REMOVED = "collected", "described", "payment_source_deleted"
GIVEN_BACK = "given back"
# For these topics a step writes nothing if the console or time did the same before.
SKIPPABLE_TOPICS = (COUPON, PAYER, ROLE, COLLECTED, DESCRIBED, REMOVED)
ANYTHING = "anything"
# Fields that a change of plan or coupons must not alter.
KEPT = ("status", "pause_date", "cancelled_at", "trial_end")
CONTENTS = ("subscription", "customer")


class LedgerEntry(NamedTuple):
    """A write about a subscription, a customer, a payment source or an invoice."""

    subject: str
    topic: str
    what: str = ""


class SeenVersion(NamedTuple):
    """A version of a record at the provider."""

    kind: str
    resource: str
    version: int

    def is_known(self) -> bool:
        """Return whether the mirror has this version."""
        row = MODELS_BY_KIND[self.kind]._default_manager.filter(provider_id=self.resource).first()
        return row is not None and (row.deleted or row.resource_version >= self.version)


@dataclass
class ProviderLog:
    """The provider's events in order; an event is compared with the state before it."""

    _latest: dict[tuple[str, str], RawObject] = field(default_factory=dict)
    _invoice_ids: set[str] = field(default_factory=set)

    def count_writes(self, event: Event) -> Counter[LedgerEntry]:
        """Return the writes of an event, and remember its state. A collection counts in cents."""
        found = Counter(self._written_entries(event["event_type"], event["content"]))
        if self.is_collection(event):
            found[LedgerEntry(event["content"]["invoice"]["id"], COLLECTED)] = event["content"]["transaction"]["amount"]
        found.update(dict(_given_back(event["event_type"], event["content"])))
        if event["event_type"] == "invoice_generated":
            self._invoice_ids.add(event["content"]["invoice"]["id"])
        for kind in CONTENTS:
            if kind in event["content"]:
                self._latest[kind, event["content"][kind]["id"]] = event["content"][kind]
        return +found

    def is_collection(self, event: Event, *kinds: str) -> bool:
        """Return whether an event is a payment of an earlier invoice, not of one that comes with a change."""
        is_payment = event["event_type"] in (kinds or ("payment_succeeded",))
        return is_payment and event["content"]["invoice"]["id"] in self._invoice_ids

    def describe_violation(self, event: Event) -> str:
        """Return what an event shows that no operation of the portal does, or an empty string."""
        raw = event["content"].get("subscription", {})
        if event["event_type"] == "subscription_pause_scheduled" and raw["pause_date"] != raw["current_term_end"]:
            return f"the pause of {raw['id']} does not begin where its term ends"
        before = self._latest.get(("subscription", raw.get("id", "")))
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
        before = self._latest.get(("subscription", raw["id"]), raw)
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
        before = self._latest.get(("customer", raw["id"]), raw)
        for role in ("primary", "backup"):
            holder = raw.get(f"{role}_payment_source_id")
            if holder and holder != before.get(f"{role}_payment_source_id"):
                yield LedgerEntry(raw["id"], ROLE, f"{role} {holder}")


@dataclass
class WriteLedger:
    """The portal's writes for one customer according to the provider's event log."""

    written: Counter[LedgerEntry] = field(default_factory=Counter)
    # Collection attempts by invoice.
    collection_attempts: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    # The console may have made or undone the same change while a command was open.
    excused: dict[LedgerEntry, int] = field(default_factory=dict)
    ambiguous: bool = False
    # Writes of the console or time that the mirror lacks, by subject and topic.
    not_mirrored: dict[tuple[str, str], SeenVersion] = field(default_factory=dict)
    # The subscriptions for which the console has scheduled a ramp, which only a cancellation deletes.
    subscriptions_with_ramps: set[str] = field(default_factory=set)
    intent: AppRequest | None = None
    # In cents, by subscription or invoice.
    charged: Counter[str] = field(default_factory=Counter)
    moved: bool = False

    def begin_intent(self, intent: AppRequest | None) -> None:
        """Attribute later charges to a request, or to none."""
        self.intent, self.charged, self.moved = intent, Counter(), False

    def record_portal_writes(self, log: ProviderLog, event: Event) -> None:
        """Record the portal's writes of an event that the log has not read yet."""
        content = event["content"]
        if event["event_type"] == "invoice_generated":
            invoice = content["invoice"]
            self.charged[invoice["subscription_id"]] += invoice["amount_paid"] + invoice["amount_due"]
        if event["event_type"] == "unbilled_charges_invoiced" and _has_only_earlier_charges(content):
            invoice = content["invoice"]
            self.charged[invoice["subscription_id"]] -= invoice["amount_paid"] + invoice["amount_due"]
        if log.is_collection(event, "payment_succeeded", "payment_failed"):
            self.collection_attempts[content["invoice"]["id"]] += 1
        if log.is_collection(event):
            self.charged[content["invoice"]["id"]] += content["transaction"]["amount"]
        if violation := log.describe_violation(event):
            self.violations.append(violation)
        self.written.update(log.count_writes(event))

    def record_other_writes(self, log: ProviderLog, event: Event) -> None:
        """Record writes of the console or time, which the portal may repeat before they are mirrored."""
        if event["event_type"] == "subscription_ramp_created":
            self.subscriptions_with_ramps.add(event["content"]["ramp"]["subscription_id"])
        subscription = event["content"].get("subscription")
        if subscription is not None:
            seen = SeenVersion("subscription", subscription["id"], subscription["resource_version"])
            self.not_mirrored[subscription["id"], ANYTHING] = seen
        for entry in log.count_writes(event):
            if entry.topic in SKIPPABLE_TOPICS:
                self.not_mirrored[entry.subject, entry.topic] = _seen_version(entry, event["content"])

    def assert_balanced(self, account: Account, name: str) -> bool:
        """Assert that exactly the done steps were written, once each; return whether all commands are settled."""
        assert self.violations == []
        self._assert_collected_only_as_requested(account)
        done = _expected_entries(account, name, _is_done)
        possible = _expected_entries(account, name, _may_be_done)
        both = self.written.keys() | done.keys() | self.excused.keys()
        ahead = {entry: self.written[entry] - done[entry] - self.excused.get(entry, 0) for entry in both}
        is_open = Command.objects.filter(account=account, state__in=Command.OPEN).exists()
        if self.ambiguous:
            if not is_open:
                self.excused = {entry: self.written[entry] - done[entry] for entry in both}
                self.ambiguous = False
                self.begin_intent(None)
            return False
        if not is_open:
            self._excuse_mirrored(ahead)
        ahead = {
            entry: count - min(max(count, 0), possible[entry])
            for entry, count in ahead.items()
            if not (_is_known_entry(self.not_mirrored, entry, count) or self._is_about_ramp(entry))
        }
        assert all(count >= 0 for count in ahead.values()), f"done and never written: {_nonzero_entries(ahead)}"
        assert is_open or not any(ahead.values()), f"written otherwise than done: {_nonzero_entries(ahead)}"
        return not is_open

    def _is_about_ramp(self, entry: LedgerEntry) -> bool:
        """Return whether a scheduled change that was set aside may have been a ramp, which is not removed by itself."""
        return (
            entry.topic == EVENT_NAMES[StepOperation.SET_CHANGE_ASIDE]
            and entry.subject in self.subscriptions_with_ramps
        )

    def _excuse_mirrored(self, ahead: dict[LedgerEntry, int]) -> None:
        """Excuse steps that were already done by others, once the others' writes are mirrored."""
        mirrored = {about for about, seen in self.not_mirrored.items() if seen.is_known()}
        for entry in [entry for entry, count in ahead.items() if _is_known_entry(mirrored, entry, count)]:
            self.excused[entry] = self.excused.get(entry, 0) + ahead.pop(entry)
        self.not_mirrored = {about: seen for about, seen in self.not_mirrored.items() if about not in mirrored}

    def _assert_collected_only_as_requested(self, account: Account) -> None:
        """Assert that no invoice has more collection attempts than its commands made, because each decline counts."""
        asked = Counter[str]()
        for command in Command.objects.filter(account=account):
            for step in command.steps:
                if step.operation == StepOperation.COLLECT and step.begun_at is not None:
                    asked[step.arguments["invoice"]] += 1 + step.attempt
        assert self.collection_attempts - asked == Counter(), "a bill was collected more often than asked for"


def _has_only_earlier_charges(content: Mapping[str, Any]) -> bool:
    """Return whether an invoice bills only what the console left unbilled: an immediate cancellation bills that."""
    return len(content["invoice"]["line_items"]) == len(content["unbilled_charge"])


def _is_known_entry(known: Container[tuple[str, str]], entry: LedgerEntry, ahead: int) -> bool:
    """Return whether somebody else is known to have written the same."""
    found_done = ahead < 0 and (entry.subject, ANYTHING) in known
    return found_done or (entry.subject, entry.topic) in known


def owner_of(content: Mapping[str, RawObject]) -> str:
    """Return the customer id of an event's content."""
    for name in ("subscription", "payment_source", "invoice", "credit_note", "promotional_credit"):
        if name in content:
            return str(content[name]["customer_id"])
    return str(content.get("customer", {}).get("id", ""))


def _given_back(kind: str, content: Mapping[str, RawObject]) -> Iterator[tuple[LedgerEntry, int]]:
    """Yield what the portal gave back, in cents; of what others give, nobody has set a reference."""
    if kind == "credit_note_created" and (reference := content["credit_note"].get("customer_notes")):
        yield LedgerEntry(owner_of(content), GIVEN_BACK, reference), content["credit_note"]["total"]
    if kind == "promotional_credits_added" and (reference := content["promotional_credit"].get("reference")):
        yield LedgerEntry(owner_of(content), GIVEN_BACK, reference), content["promotional_credit"]["amount"]


def _expected_entries(account: Account, name: str, chosen: Callable[[Step], bool]) -> Counter[LedgerEntry]:
    """Return the writes of the chosen steps of an account."""
    written = Counter[LedgerEntry]()
    for command in Command.objects.filter(account=account):
        for index, step in enumerate(command.steps):
            if chosen(step):
                arguments = resolve_arguments(command.steps, index)
                written.update(dict(_entries_of_step(step, arguments, name)))
    return written


def _is_done(step: Step) -> bool:
    return step.is_done


def _may_be_done(step: Step) -> bool:
    """Return whether a step was begun and then skipped, or failed between several writes."""
    is_half_done = step.operation == StepOperation.SWAP_COUPONS and step.state == StepState.FAILED
    return step.begun_at is not None and (step.state == StepState.SKIPPED or is_half_done)


def _entries_of_step(step: Step, asked: Mapping[str, Any], name: str) -> Iterator[tuple[LedgerEntry, int]]:
    """Yield the writes of a done step, each with its count or its cents."""
    operation, subscription = StepOperation(step.operation), step.subscription_id
    if operation == StepOperation.SWAP_COUPONS:
        yield from _entries_of_swap(subscription, asked)
    elif operation == StepOperation.COLLECT:
        yield LedgerEntry(asked["invoice"], COLLECTED), step.result or 0
    elif operation in GIVING_OPERATIONS:
        yield LedgerEntry(name, GIVEN_BACK, asked["reference"]), asked["amount"]
    elif operation in EVENT_NAMES:
        yield LedgerEntry(subscription or name, EVENT_NAMES[operation]), 1
    elif operation in _EVENT_READERS:
        yield _EVENT_READERS[operation](name, subscription, asked), 1


def _entries_of_swap(subscription: str, asked: Mapping[str, Any]) -> Iterator[tuple[LedgerEntry, int]]:
    for way, coupons in (("on", asked["add"]), ("off", asked["remove"])):
        for coupon in coupons:
            yield LedgerEntry(subscription, COUPON, f"{coupon} {way}"), 1
    if asked["changing_to"]:
        yield LedgerEntry(subscription, EVENT_NAMES[StepOperation.CHANGE_AT_TERM_END]), 1


# The writes of operations that are recognized by comparing an event with the state before it.
_EVENT_READERS: dict[StepOperation, Callable[[str, str, Mapping[str, Any]], LedgerEntry]] = {
    StepOperation.CHANGE_NOW: lambda _, subscription, asked: LedgerEntry(subscription, PLAN, asked["price"]),
    StepOperation.ASSIGN_ROLE: lambda name, _, asked: LedgerEntry(name, ROLE, f"{asked['role']} {asked['source']}"),
    StepOperation.MAKE_PAYER_PRIMARY: lambda name, _, asked: LedgerEntry(name, ROLE, f"primary {asked['source']}"),
    StepOperation.REASSIGN_SUBSCRIPTION: lambda _name, _, asked: LedgerEntry(
        asked["subscription"], PAYER, asked["source"]
    ),
    StepOperation.UPDATE_CARD: lambda _name, _, asked: LedgerEntry(asked["source"], DESCRIBED),
    StepOperation.DESCRIBE_CARD: lambda _name, _, asked: LedgerEntry(asked["source"], DESCRIBED),
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
