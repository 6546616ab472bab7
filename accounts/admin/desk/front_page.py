"""The desk, which is the admin's front page: a search and panels. Each application registers its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q
from django.db.models.functions import Lower
from django.db.models.lookups import Exact
from django.http import HttpRequest
from django.urls import reverse

from accounts.models import Account

# What one search returns at most, so that a short query costs no more than a long one.
MAX_FINDINGS = 20
LONGEST_QUERY = 254
# After so many words at most a last name is taken to begin: each division is a condition of its own.
MAX_NAME_WORDS = 6
WEEK = timedelta(days=7)


@dataclass(frozen=True)
class Finding:
    """A page that a search found: whose it is, and what of it matched."""

    address: str
    person: str
    matched: str


@dataclass(frozen=True)
class PanelRow:
    """A row or a figure of a panel. `address` is the list of what it counts, empty if the operator may not see it."""

    label: str
    value: object
    note: str = ""
    address: str = ""


@dataclass(frozen=True)
class Panel:
    """A card of the desk. `empty` is said if there are no rows; `rest` is the URL of the page that says more.

    `has_figures` lays the rows out as figures side by side.
    """

    title: str
    rows: Sequence[PanelRow]
    empty: str = ""
    rest: str = ""
    rest_label: str = ""
    has_figures: bool = False


Search = Callable[[str], Iterable[Finding]]
PanelBuilder = Callable[[HttpRequest], Panel]

_searches: list[tuple[str, Search]] = []
_panels: list[tuple[int, str, PanelBuilder]] = []


def register_search(permission: str, search: Search) -> None:
    """Add a search for operators with the permission. It has to use an index, and a constant number of queries."""
    _searches.append((permission, search))


def register_panel(position: int, permission: str, build: PanelBuilder) -> None:
    """Add a panel for operators with the permission; the lowest position comes first."""
    _panels.append((position, permission, build))
    _panels.sort(key=lambda entry: entry[0])


def can_search(user: Any) -> bool:
    """Return whether the operator may search for anything."""
    return any(user.has_perm(permission) for permission, _ in _searches)


def clean_query(text: str) -> str:
    """Return what an operator typed without surrounding space, NUL (which PostgreSQL refuses) and excess length."""
    return text.replace("\x00", "").strip()[:LONGEST_QUERY]


def find_pages(query: str, user: Any) -> list[Finding]:
    """Return what the operator may see of what a query matches, each page once, people first."""
    findings: dict[str, Finding] = {}
    for permission, search in _searches:
        if user.has_perm(permission):
            for finding in search(query):
                findings.setdefault(finding.address, finding)
    return list(findings.values())


def desk_panels(request: HttpRequest) -> Iterator[Panel]:
    """Yield the panels that the operator may see."""
    for _, permission, build in _panels:
        if request.user.has_perm(permission):
            yield build(request)


def account_finding(account: Account, matched: str) -> Finding:
    """Return the finding of an account's page."""
    person = f"{account.name}, {account}" if account.name else str(account)
    return Finding(reverse("admin:accounts_account_change", args=[account.pk]), person, matched)


def _find_accounts_by_address(query: str) -> list[Finding]:
    # Without an order, so that the database does not walk the index of the order instead.
    accounts = Account.objects.filter(email__startswith=query.lower()).order_by()[:MAX_FINDINGS]
    return [account_finding(account, "Email address") for account in sorted(accounts, key=lambda row: row.email)]


def name_conditions(query: str) -> list[Q]:
    """Return the conditions that find accounts by first name, last name, or both; each can use an index."""
    words = query.lower().split()
    name = " ".join(words)
    conditions = [Q(Exact(Lower("first_name"), name)), Q(Exact(Lower("last_name"), name))]
    # Either name can have several words: Mary Ann Smith, Ana de la Cruz.
    for count in range(1, min(len(words), MAX_NAME_WORDS)):
        first, last = " ".join(words[:count]), " ".join(words[count:])
        conditions.append(Q(Exact(Lower("first_name"), first)) & Q(Exact(Lower("last_name"), last)))
    return conditions


def _find_accounts_by_name(query: str) -> list[Finding]:
    named = Account.objects.filter(reduce(or_, name_conditions(query)))
    accounts = sorted(named.order_by()[:MAX_FINDINGS], key=lambda row: (row.name, row.email))
    return [account_finding(account, "Name") for account in accounts]


register_search("accounts.view_account", _find_accounts_by_address)
register_search("accounts.view_account", _find_accounts_by_name)
