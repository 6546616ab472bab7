"""A trial: a subscriber's life on a test site, from the first card to the deletion of the customer.

It moves the site's clock some months forward, for all its customers. What it creates is deleted afterwards, and what
a killed run has left is deleted by the next one.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from accounts.brands import site as portal_site
from billing.gateway.errors import GatewayError, Missing
from billing.gateway.http.transport import record_exchanges
from billing.gateway.site import trial_requests
from billing.gateway.site.site_reads import is_test_site
from billing.gateway.snapshots import Raw
from billing.models import BundleRate, Plan
from billing.site_check.assumptions import TOPIC_NAME, Assumption, assume
from billing.site_check.catalog import ALL_TERMS, find_site_price
from billing.site_check.findings import SETTINGS, Finding, State, Topic
from billing.site_check.site_reader import SiteReader
from billing.site_check.trial import changing, leaving, pausing
from billing.site_check.trial.life import ID_PREFIX, Life
from billing.site_check.trial.recording import RecordedStep, Recording, record_step

TOPIC = Topic("Trial")
PLANS_TRIED = 2
TIME_MACHINE = f"{SETTINGS} > Time Machine"


class LiveSite(RuntimeError):
    """The site is not a test site, so nothing is tried there."""


class CannotTry(RuntimeError):
    """A test site lacks something that every trial needs; `finding` says what."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.needed)
        self.finding = finding


@dataclass(frozen=True)
class Step:
    """A step, and the assumption that it shows, None if it only prepares others."""

    play: Callable[[Life], Iterator[Finding]]
    shows: Assumption | None = None

    @property
    def name(self) -> str:
        """The name in recordings."""
        return self.play.__name__


@dataclass(frozen=True)
class Act:
    """Steps that build on each other: when one fails, the rest of the act is left out."""

    title: str
    steps: tuple[Step, ...]


ACTS = (
    Act(
        "a trial, a renewal and changes",
        (
            Step(changing.estimate_future_start, Assumption.FUTURE_START),
            Step(changing.start_trial, Assumption.TRIAL),
            Step(changing.end_trial, Assumption.RENEWAL),
            Step(changing.upgrade_now, Assumption.UPGRADE),
            Step(changing.estimate_coupon_alone, Assumption.COUPON_ESTIMATE),
            Step(changing.schedule_change, Assumption.SCHEDULED_CHANGE),
            Step(changing.put_coupon_beside_change, Assumption.COUPON_BESIDE_CHANGE),
        ),
    ),
    Act(
        "pauses, resumes and dunning",
        (
            Step(pausing.start_second),
            Step(changing.compare_time_zones),
            Step(pausing.schedule_pause, Assumption.SCHEDULED_PAUSE),
            Step(pausing.estimate_renewal, Assumption.RENEWAL_ESTIMATE),
            Step(pausing.change_under_pause, Assumption.CHANGE_UNDER_PAUSE),
            Step(pausing.remove_pause, Assumption.PAUSE_REMOVED),
            Step(pausing.ask_for_refusals, Assumption.PAUSE_ERROR),
            Step(pausing.resume_in_term, Assumption.RESUME_IN_TERM),
            Step(pausing.let_pause_begin, Assumption.PAUSED),
            Step(pausing.resume_after_term, Assumption.RESUME_AFTER_TERM),
            Step(pausing.resume_with_declining_card, Assumption.RESUME_DECLINED),
            Step(leaving.end_paused, Assumption.ENDED),
            Step(leaving.fall_due, Assumption.DUNNING),
            Step(leaving.exhaust_dunning, Assumption.DUNNING_END),
        ),
    ),
    Act("a cancellation", (Step(leaving.take_back_cancellation, Assumption.CANCELLATION),)),
    Act("a repeated request", (Step(leaving.repeat_key, Assumption.REPEATED_KEY),)),
    Act("a repeated refusal", (Step(leaving.repeat_refused_key, Assumption.REPEATED_REFUSAL),)),
    Act("a card", (Step(leaving.ask_for_card_intent, Assumption.CARD_INTENT),)),
    Act("PayPal", (Step(leaving.ask_for_paypal_intent, Assumption.PAYPAL_INTENT),)),
    Act("the time machine", (Step(leaving.travel_little, Assumption.SMALLEST_JOURNEY),)),
)


@dataclass
class Trial:
    """A trial under way: its life, what it has found, and what it has recorded."""

    life: Life
    findings: list[Finding] = field(default_factory=list)
    steps: list[RecordedStep] = field(default_factory=list)
    seen_events: set[str] = field(default_factory=set)

    @property
    def recording(self) -> Recording:
        """What the provider answered and sent."""
        return Recording(self.steps)

    def play_act(self, act: Act) -> None:
        """Play the steps of an act; after a failure, report the rest as not tried."""
        is_broken = False
        for step in act.steps:
            if not is_broken:
                is_broken = not self.play_step(step)
            elif step.shows is not None:
                todo = "Correct what the step before it found, and try again."
                self.findings.append(Finding(TOPIC_NAME, step.shows, "not tried", State.UNREADABLE, todo))

    def play_step(self, step: Step) -> bool:
        """Play and record a step; return whether the steps after it can follow."""
        began = self.life.now()
        with record_exchanges() as exchanges:
            self.life.exchanges = exchanges
            try:
                self.findings.extend(step.play(self.life))
                has_played = True
            except (GatewayError, KeyError) as error:
                self.findings.append(_failed_step(step, error))
                has_played = False
        self.life.wait_for_provider()
        events = [
            event
            for event in trial_requests.find_events(self.life.customer, since=began)
            if str(event["id"]) not in self.seen_events
        ]
        self.seen_events.update(str(event["id"]) for event in events)
        self.steps.append(record_step(step.name, exchanges, events))
        return has_played


def try_site(site: SiteReader, *, patience: float, report: Callable[[str], None]) -> Trial:
    """Play a subscriber's life on a test site and return what it showed; call `report` with a line for each step.

    Deletes the customer afterwards, whatever happens. Raises LiveSite, CannotTry and GatewayError.
    """
    if not is_test_site(site.configuration):
        raise LiveSite
    if site.time_machine == "not_enabled":
        todo = f"Turn it on at {TIME_MACHINE}. This erases the data of the test site."
        raise CannotTry(TOPIC.wrong_finding("the time machine is on", "it is off", todo))
    delete_leftovers(site.customers)
    trial = Trial(_new_life(site, patience))
    try:
        if trial.play_step(Step(changing.create_customer)):
            for act in ACTS:
                report(f"Trying {act.title} …")
                trial.play_act(act)
    finally:
        trial.findings.append(_delete_customer(trial.life.customer))
    return trial


def delete_leftovers(customers: list[Raw]) -> None:
    """Delete the customers of earlier trials that were killed."""
    for customer in customers:
        if str(customer["id"]).startswith(ID_PREFIX):
            _delete_customer(str(customer["id"]))


def _new_life(site: SiteReader, patience: float) -> Life:
    """Return a life with the first plan on sale, monthly and yearly, and another one. Raises CannotTry."""
    sold = [
        [
            str(price["id"])
            for terms in ALL_TERMS
            if (price := find_site_price(site, plan.id, terms)) is not None and price.get("status") == "active"
        ]
        for plan in Plan.objects.filter(on_sale=True)
    ]
    whole = [prices for prices in sold if len(prices) == len(ALL_TERMS)]
    if len(whole) < PLANS_TRIED:
        todo = "Correct the catalog first."
        raise CannotTry(TOPIC.wrong_finding("two plans on sale with both prices", str(len(whole)), todo))
    (monthly, yearly), (other_monthly, _) = whole[:PLANS_TRIED]
    rate = BundleRate.objects.order_by("size").first()
    return Life(
        monthly=monthly,
        yearly=yearly,
        other_monthly=other_monthly,
        coupon=rate.coupon_id if rate else "",
        zone=ZoneInfo(portal_site.site_settings().time_zone),
        patience=patience,
    )


def _failed_step(step: Step, error: Exception) -> Finding:
    found = f"{type(error).__name__}: {error}"
    if step.shows is not None:
        return assume(step.shows, found, holds=False)
    todo = "See that the site has the plans, coupons and gateway that the lines above need, and try again."
    return TOPIC.wrong_finding(f"the trial can {step.name.replace('_', ' ')}", found, todo)


def _delete_customer(customer_id: str) -> Finding:
    needed = "nothing is left of the trial"
    try:
        trial_requests.delete_customer(customer_id, key=f"delete-{customer_id}")
    except Missing:
        return TOPIC.ok_finding(needed, "the customer was never created")
    except GatewayError as error:
        return TOPIC.wrong_finding(needed, f"not deleted: {error}", f"Delete the customer {customer_id} at Customers.")
    return TOPIC.ok_finding(needed, "its customer is deleted")
