"""The console's pages about the site: clock, accounts, events."""

from __future__ import annotations

import json
from typing import TypeVar
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_POST, require_safe

from billing.sandbox import delivery, settings
from billing.sandbox import events as event_log
from billing.sandbox.console import chrome, journeys, mailbox, rows
from billing.sandbox.models import Customer, Event, Site, Subscription

M = TypeVar("M", bound=Model)

_PER_PAGE = 50
_ON_HOME = 25
_STATUSES = ("scheduled", "succeeded", "re_scheduled", "failed", "disabled", "not_configured")


@require_safe
@csrf_protect
def home(request: HttpRequest) -> HttpResponse:
    """The clock with its travel buttons, what the last journey brought, the accounts and the newest mail."""
    return _home(request)


@require_POST
@csrf_protect
def travel(request: HttpRequest) -> HttpResponse:
    """Move the clock as the documented time machine does, then show the journey."""
    try:
        begun = journeys.begin(journeys.destination(request.POST))
    except (journeys.NotATime, journeys.Refused) as refusal:
        return _home(request, error=str(refusal), status=400)
    return _redirect("home", query={"from": begun.start, "after": begun.after})


@require_safe
def customers(request: HttpRequest) -> HttpResponse:
    """The accounts, narrowed by `?q=`."""
    wanted = request.GET.get("q", "").strip()
    page = _page(request, _customers(wanted))
    context = {
        "rows": rows.accounts(page.object_list),
        "page": page,
        "wanted": wanted,
        "query": _query(q=wanted),
        "none": f"No account with “{wanted}” in its name, e-mail or id." if wanted else "",
    }
    return chrome.show(request, "customers.html", context, tab="customers")


@require_safe
def customer(request: HttpRequest, handle: str) -> HttpResponse:
    """One account with everything the provider holds on it."""
    found = Customer.objects.filter(handle=handle).first()
    if found is None:
        return chrome.not_found(request, "There is no account of that id.", tab="customers")
    newest = Event.objects.filter(rows.events_about(handle)).order_by("-seq")[:20]
    context = {
        "id": handle,
        "name": rows.full_name(found),
        "email": found.get("email", ""),
        "subscriptions": rows.subscriptions(Subscription.objects.filter(customer_id=handle)).get(handle, []),
        "sources": rows.sources(found),
        "invoices": rows.invoices(handle),
        "events": rows.events(newest),
    }
    return chrome.show(request, "customer.html", context, tab="customers")


@require_safe
def events(request: HttpRequest) -> HttpResponse:
    """The log, newest first, narrowed by `?type=`, `?status=`, `?customer=` and `?after=`."""
    chosen = {name: request.GET.get(name, "").strip() for name in ("type", "status", "customer", "after")}
    page = _page(request, _events(chosen))
    context = {
        "rows": rows.events(page.object_list),
        "page": page,
        "chosen": chosen,
        "types": Event.objects.order_by("event_type").values_list("event_type", flat=True).distinct(),
        "statuses": [rows.State(code) for code in _STATUSES],
        "query": _query(**chosen),
    }
    return chrome.show(request, "events.html", context, tab="events")


@require_safe
@csrf_protect
def event(request: HttpRequest, handle: str) -> HttpResponse:
    """One event as it is sent, and how its delivery stands."""
    found = Event.objects.filter(handle=handle).first()
    if found is None:
        return chrome.not_found(request, "There is no event of that id.", tab="events")
    context = {
        "row": rows.events([found])[0],
        "user": found.user,
        "attempts": found.webhook_attempts,
        "tries": len(delivery.RETRY_DELAYS) + 1,
        "next_at": chrome.site_time(found.next_attempt_at) if found.next_attempt_at else None,
        "failure": found.webhook_failure_reason,
        "json": json.dumps(event_log.render(found), indent=2, ensure_ascii=False),
    }
    return chrome.show(request, "event.html", context, tab="events")


@require_POST
@csrf_protect
def redeliver(request: HttpRequest, handle: str) -> HttpResponse:
    """Send an event again."""
    found = Event.objects.filter(handle=handle).first()
    if found is None:
        return chrome.not_found(request, "There is no event of that id.", tab="events")
    if settings.SANDBOX_WEBHOOK_URL:
        delivery.redeliver(found)
    return _redirect("event", handle)


def lost(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page for an address that leads nowhere."""
    return chrome.not_found(request, "There is no page at this address.", tab="")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The page for a form that did not come from this console."""
    return _home(request, error="That form was out of date. Nothing was done; please try again.", status=403)


def _home(request: HttpRequest, *, error: str = "", status: int = 200) -> HttpResponse:
    context = {
        "error": error,
        "offset": journeys.offset_in_words(Site.get().offset_ms),
        "spans": journeys.SPANS,
        "journey": journeys.journey(request.GET),
        "accounts": rows.accounts(_customers("")[:_ON_HOME]),
        "mail": mailbox.messages(settings.SANDBOX_MAIL_DIR, limit=3),
        "events": rows.events(Event.objects.order_by("-seq")[:8]),
    }
    return chrome.show(request, "home.html", context, tab="home", status=status)


def _customers(wanted: str) -> QuerySet[Customer]:
    found = Customer.objects.filter(deleted=False).order_by("handle")
    if not wanted:
        return found
    named = Q(body__first_name__icontains=wanted) | Q(body__last_name__icontains=wanted)
    return found.filter(named | Q(handle__icontains=wanted) | Q(body__email__icontains=wanted))


def _events(chosen: dict[str, str]) -> QuerySet[Event]:
    found = Event.objects.order_by("-seq")
    if chosen["type"]:
        found = found.filter(event_type=chosen["type"])
    if chosen["status"]:
        found = found.filter(webhook_status=chosen["status"])
    if chosen["customer"]:
        found = found.filter(rows.events_about(chosen["customer"]))
    if chosen["after"].isascii() and chosen["after"].isdecimal():
        found = found.filter(seq__gt=int(chosen["after"][:18]))
    return found


def _page(request: HttpRequest, found: QuerySet[M]) -> Page[M]:
    return Paginator(found, _PER_PAGE).get_page(request.GET.get("page"))


def _query(**chosen: str) -> str:
    """The filters in force, ready to stand before `page=` in a link."""
    held = {name: value for name, value in chosen.items() if value}
    return f"{urlencode(held)}&" if held else ""


def _redirect(name: str, *arguments: str, query: dict[str, int] | None = None) -> HttpResponseRedirect:
    address = reverse(f"console:{name}", args=arguments)
    return HttpResponseRedirect(f"{address}?{urlencode(query)}" if query else address)
