"""The console's pages about the clock, accounts, and events."""

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

from chargebee_sandbox import event_log, settings, webhook_delivery, webhook_endpoint
from chargebee_sandbox.console import layout, mailbox, table_rows, time_travel
from chargebee_sandbox.models import Customer, Event, Subscription
from chargebee_sandbox.site import Site

M = TypeVar("M", bound=Model)

_PER_PAGE = 50
_ACCOUNTS_ON_HOME = 25
_WEBHOOK_STATUSES = ("scheduled", "succeeded", "re_scheduled", "failed", "disabled", "not_configured")


@require_safe
@csrf_protect
def home_page(request: HttpRequest) -> HttpResponse:
    """Show the clock with its travel buttons, the last journey, the accounts, the newest mail and events."""
    return _render_home(request)


@require_POST
@csrf_protect
def travel_forward(request: HttpRequest) -> HttpResponse:
    """Begin a journey of the time machine, then show it."""
    try:
        departure = time_travel.begin_travel(time_travel.parse_destination(request.POST))
    except (time_travel.InvalidDestination, time_travel.TravelRefused) as error:
        return _render_home(request, error=str(error), status=400)
    return _redirect_to("home", query={"from": departure.start, "after": departure.after})


@require_safe
def customers_page(request: HttpRequest) -> HttpResponse:
    """Show the accounts, filtered by `?q=`."""
    search = request.GET.get("q", "").strip()
    page = _requested_page(request, _matching_customers(search))
    context = {
        "rows": table_rows.account_rows(page.object_list),
        "page": page,
        "wanted": search,
        "query": _filter_query(q=search),
        "none": f"No account with “{search}” in its name, e-mail or id." if search else "",
    }
    return layout.render_page(request, "customers.html", context, tab="customers")


@require_safe
def customer_page(request: HttpRequest, handle: str) -> HttpResponse:
    """Show an account with its subscriptions, payment sources, invoices, and events."""
    customer = Customer.objects.filter(handle=handle).first()
    if customer is None:
        return layout.not_found_page(request, "There is no account of that id.", tab="customers")
    newest = Event.objects.filter(table_rows.events_about(handle)).order_by("-seq")[:20]
    context = {
        "id": handle,
        "name": table_rows.full_name(customer),
        "email": customer.get("email", ""),
        "subscriptions": table_rows.subscription_rows(Subscription.objects.filter(customer_id=handle)).get(handle, []),
        "sources": table_rows.source_rows(customer),
        "invoices": table_rows.invoice_rows(handle),
        "events": table_rows.event_rows(newest),
    }
    return layout.render_page(request, "customer.html", context, tab="customers")


@require_safe
def events_page(request: HttpRequest) -> HttpResponse:
    """Show the events, newest first, filtered by `?type=`, `?status=`, `?customer=`, and `?after=`."""
    filters = {name: request.GET.get(name, "").strip() for name in ("type", "status", "customer", "after")}
    page = _requested_page(request, _matching_events(filters))
    context = {
        "rows": table_rows.event_rows(page.object_list),
        "page": page,
        "chosen": filters,
        "types": Event.objects.order_by("event_type").values_list("event_type", flat=True).distinct(),
        "statuses": [table_rows.StatusLabel(code) for code in _WEBHOOK_STATUSES],
        "query": _filter_query(**filters),
    }
    return layout.render_page(request, "events.html", context, tab="events")


@require_safe
@csrf_protect
def event_page(request: HttpRequest, handle: str) -> HttpResponse:
    """Show an event as it is sent, and the state of its webhook."""
    event = Event.objects.filter(handle=handle).first()
    if event is None:
        return layout.not_found_page(request, "There is no event of that id.", tab="events")
    context = {
        "row": table_rows.event_rows([event])[0],
        "user": event.user,
        "attempts": event.webhook_attempts,
        "tries": len(webhook_delivery.RETRY_DELAYS) + 1,
        "next_at": layout.site_time(event.next_attempt_at) if event.next_attempt_at else None,
        "failure": event.webhook_failure_reason,
        "json": json.dumps(event_log.render_event(event), indent=2, ensure_ascii=False),
    }
    return layout.render_page(request, "event.html", context, tab="events")


@require_POST
@csrf_protect
def redeliver_event(request: HttpRequest, handle: str) -> HttpResponse:
    """Send an event again."""
    event = Event.objects.filter(handle=handle).first()
    if event is None:
        return layout.not_found_page(request, "There is no event of that id.", tab="events")
    if webhook_endpoint.find_endpoint() is not None:
        webhook_delivery.redeliver_event(event)
    return _redirect_to("event", handle)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Render the page for an unknown URL."""
    return layout.not_found_page(request, "There is no page at this address.", tab="")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Render the page for a form without a valid CSRF token."""
    return _render_home(request, error="That form was out of date. Nothing was done; please try again.", status=403)


def _render_home(request: HttpRequest, *, error: str = "", status: int = 200) -> HttpResponse:
    context = {
        "error": error,
        "offset": time_travel.offset_in_words(Site.load().offset_ms),
        "spans": time_travel.TRAVEL_SPANS,
        "journey": time_travel.journey_progress(request.GET),
        "accounts": table_rows.account_rows(_matching_customers("")[:_ACCOUNTS_ON_HOME]),
        "mail": mailbox.list_messages(settings.SANDBOX_MAIL_DIR, limit=3),
        "events": table_rows.event_rows(Event.objects.order_by("-seq")[:8]),
    }
    return layout.render_page(request, "home.html", context, tab="home", status=status)


def _matching_customers(search: str) -> QuerySet[Customer]:
    customers = Customer.objects.filter(deleted=False).order_by("handle")
    if not search:
        return customers
    by_name = Q(body__first_name__icontains=search) | Q(body__last_name__icontains=search)
    return customers.filter(by_name | Q(handle__icontains=search) | Q(body__email__icontains=search))


def _matching_events(filters: dict[str, str]) -> QuerySet[Event]:
    events = Event.objects.order_by("-seq")
    if filters["type"]:
        events = events.filter(event_type=filters["type"])
    if filters["status"]:
        events = events.filter(webhook_status=filters["status"])
    if filters["customer"]:
        events = events.filter(table_rows.events_about(filters["customer"]))
    if filters["after"].isascii() and filters["after"].isdecimal():
        events = events.filter(seq__gt=int(filters["after"][:18]))
    return events


def _requested_page(request: HttpRequest, rows: QuerySet[M]) -> Page[M]:
    return Paginator(rows, _PER_PAGE).get_page(request.GET.get("page"))


def _filter_query(**filters: str) -> str:
    """Return the active filters for a link, to be followed by `page=`."""
    active = {name: value for name, value in filters.items() if value}
    return f"{urlencode(active)}&" if active else ""


def _redirect_to(name: str, *arguments: str, query: dict[str, int] | None = None) -> HttpResponseRedirect:
    address = reverse(f"console:{name}", args=arguments)
    return HttpResponseRedirect(f"{address}?{urlencode(query)}" if query else address)
