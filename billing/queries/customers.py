"""The customers of one address: which of them it signs in to, and what the others pay for (docs/rules.md, rule 18)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from accounts.models import Account
from billing.models import Customer, SharedAddress, Subscription
from billing.models.mirror import LIVE_STATUSES
from billing.queries.subscriptions.holdings import attach_plans, shown_status
from billing.terms import BillingTerms


@dataclass(frozen=True)
class OtherPlan:
    """A live subscription of another customer; `amount` is one period in cents, before discounts and tax."""

    name: str
    amount: int
    terms: BillingTerms
    status: str
    next_billing_at: datetime | None


@dataclass(frozen=True)
class OtherCustomer:
    """Another customer of the account's address, by the provider's id, and what is live there, newest first."""

    id: str
    plans: Sequence[OtherPlan]


@dataclass(frozen=True)
class SharedAddresses:
    """How many addresses have several customers, and how many have several with live subscriptions."""

    shared: int
    paying: int


def customers_of_address(address: str) -> QuerySet[Customer]:
    """Return the mirrored customers that have a normalized address at the provider."""
    return Customer.objects.filter(email=address, deleted=False) if address else Customer.objects.none()


def with_live_flag(customers: QuerySet[Customer]) -> QuerySet[Any]:
    """Add `has_live` to customers: whether they have a live subscription."""
    live = Subscription.objects.filter(customer=OuterRef("pk"), deleted=False, status__in=LIVE_STATUSES)
    return customers.annotate(has_live=Exists(live))


def chosen_customer(address: str) -> Customer | None:
    """Return the customer that an address signs in to: the newest with a live subscription, or else the newest."""
    customers = with_live_flag(customers_of_address(address))
    chosen: Customer | None = max(
        customers,
        key=lambda customer: (customer.has_live, customer.cents("created_at"), customer.pk),
        default=None,
    )
    return chosen


def shared_addresses(customers: QuerySet[Customer]) -> QuerySet[Customer, str]:
    """Return the addresses that several of these customers have."""
    shared = customers.filter(deleted=False).exclude(email="").order_by().values("email")
    return shared.annotate(count=Count("*")).filter(count__gt=1).values_list("email", flat=True)


def known_shared_addresses() -> QuerySet[SharedAddress]:
    """Return the addresses that several customers have, of those that the hourly job has found."""
    customers = Customer.objects.filter(email=OuterRef("email"), deleted=False).order_by("pk")
    return SharedAddress.objects.filter(Exists(customers[1:]))


def count_shared_addresses(*, limit: int) -> SharedAddresses:
    """Return how many of these addresses there are, each number up to a limit. Two queries."""
    addresses = known_shared_addresses()
    return SharedAddresses(addresses[:limit].count(), addresses.filter(is_paid_for=True)[:limit].count())


def other_customers(account: Account) -> list[OtherCustomer]:
    """Return the further customers of the account's address, newest first. Five queries at most."""
    customers = list(customers_of_address(account.email).exclude(account=account).order_by("-pk"))
    plans: dict[int, list[OtherPlan]] = defaultdict(list)
    if customers:
        live = Subscription.objects.filter(customer__in=customers, deleted=False, status__in=LIVE_STATUSES)
        subscriptions = list(live.order_by("-created_at", "-pk"))
        attach_plans(subscriptions)
        for subscription in subscriptions:
            plans[subscription.customer_id].append(_other_plan(subscription))
    return [OtherCustomer(customer.provider_id, plans[customer.pk]) for customer in customers]


def customers_with_data_of(account: Account) -> QuerySet[Customer]:
    """Return the customers whose data is the subscriber's: the account's, and those of its address without an account.

    Its data export contains them, and its erasure deletes them.
    """
    return Customer.objects.filter(Q(account=account) | Q(account=None, email=account.email) & ~Q(email=""))


def find_other_customer(account: Account, customer_id: str) -> Customer | None:
    """Return a customer of the account's address, its own included, by the provider's id; None for any other."""
    return customers_of_address(account.email).filter(provider_id=customer_id).first()


def _other_plan(subscription: Subscription) -> OtherPlan:
    return OtherPlan(
        name=subscription.plan.name,
        amount=subscription.amount,
        terms=subscription.terms,
        status=shown_status(subscription),
        next_billing_at=subscription.next_billing_at,
    )
