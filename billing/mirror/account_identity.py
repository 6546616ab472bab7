"""Whose an account is: the provider's customer says it (decision 28, docs/rules.md, rule 18).

An account belongs to one customer for good and has the customer's address. Whatever writes a customer into the mirror
(a webhook, the feed, the night, a resync, a command) ends here, in the same transaction: so the account cannot differ
from the mirror. Several customers, and their accounts, can have one address; the one that it signs in to is chosen by
rule 13.
"""

import logging
from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from accounts.models import Account, SessionToken
from accounts.sign_in import provider_changes, sessions
from billing.gateway.snapshots import CustomerSnapshot
from billing.mirror import documents, erasure
from billing.models import Command, Customer, Subscription
from billing.models.commands import CORRECT_ADDRESS
from billing.models.mirror_row import MirroredResource
from billing.queries.customers import (
    chosen_customer,
    customers_of_address,
    find_other_customer,
    shared_addresses,
    with_live_flag,
)
from core.email_addresses import usable_address
from core.errors import NotFound

logger = logging.getLogger(__name__)


def follow_customers(rows: Iterable[MirroredResource], *, now: datetime) -> None:
    """Make the accounts of written customers follow them, and choose anew where several have one address.

    `rows` are mirror rows as they were just written, their customers locked; `now` is billing's time.
    """
    owners = (
        row if isinstance(row, Customer) else row.customer for row in rows if isinstance(row, (Customer, Subscription))
    )
    customers = {customer.pk: customer for customer in owners}
    for customer in customers.values():
        _follow_customer(customer, now)
    addresses = {customer.email for customer in customers.values() if customer.email}
    for address in shared_addresses(Customer.objects.filter(email__in=addresses)):
        _move_sessions_to_chosen(address)


def find_account(address: str) -> Account | None:
    """Return the account that a normalized address signs in to; None if no customer of the mirror has it.

    Opens the account of a customer who signs in for the first time.
    """
    customer = chosen_customer(address)
    return None if customer is None else open_account(customer)


def customer_ids_at_known_addresses(listed: Iterable[object]) -> set[str]:
    """Return the provider's ids of the customers among some records whose address an account has, however spelled.

    Those that operators have erased are left out: another account may have their address.
    """
    addresses = {record.id: usable_address(record.email) for record in listed if isinstance(record, CustomerSnapshot)}
    known = set(Account.objects.filter(email__in=set(addresses.values()) - {""}).values_list("email", flat=True))
    found = {customer_id for customer_id, address in addresses.items() if address in known}
    return found - erasure.find_erased_ids(found)


@transaction.atomic
def open_account(customer: Customer) -> Account:
    """Return the customer's account; open one with the provider's names and address if there is none yet.

    Its documents are built when they are read: most accounts of an imported site never are.
    """
    locked = Customer.objects.select_for_update(no_key=True, of=("self",)).get(pk=customer.pk)
    if locked.account is None:
        locked.account = Account.objects.open_account(
            email=locked.email, first_name=locked.text("first_name"), last_name=locked.text("last_name")
        )
        locked.save(update_fields=["account"])
    return locked.account


def switch_customer(account: Account, session: SessionToken, customer_id: str) -> None:
    """Let a session of the account continue in another customer of its address, with the same token.

    Raises NotFound for any other customer, and if an address has changed meanwhile.
    """
    customer = find_other_customer(account, customer_id)
    if customer is None:
        logger.warning("Account %s named a customer that is not its own", account.pk)
        raise NotFound
    target = open_account(customer)
    if not sessions.switch_sessions(SessionToken.objects.filter(pk=session.pk), origin=account, target=target):
        raise NotFound


def _follow_customer(customer: Customer, now: datetime) -> None:
    account = customer.account
    if account is None:
        return
    if customer.deleted:
        provider_changes.end_access(account)
    elif account.email != customer.email:
        provider_changes.change_address(account, customer.email, at=now, **_made_by(account))
        logger.warning("Account %s follows its customer to another email address", account.pk)
        documents.mark_documents_stale([account])


def _made_by(account: Account) -> dict[str, str]:
    """Return the operator who is correcting the address here, and why; nothing if it was changed at the provider."""
    command = Command.objects.filter(Command.UNFINISHED, account=account, kind=CORRECT_ADDRESS).first()
    return {} if command is None else {"actor": command.actor, "reason": command.reason}


def _move_sessions_to_chosen(address: str) -> None:
    """Let the sessions of an account without a live subscription continue in the chosen one of the same address."""
    customers = list(with_live_flag(customers_of_address(address)).select_related("account"))
    chosen = chosen_customer(address)
    if chosen is None or not any(customer.has_live for customer in customers):
        return
    for account in (customer.account for customer in customers if customer.account and not customer.has_live):
        tokens = SessionToken.objects.filter(user=account.user_id)
        if tokens.exists():
            sessions.switch_sessions(tokens, origin=account, target=open_account(chosen))
