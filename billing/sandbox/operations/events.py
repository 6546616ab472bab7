"""Events: the catch-up feed."""

from __future__ import annotations

from billing.sandbox import events
from billing.sandbox.body import Body
from billing.sandbox.models import Event
from billing.sandbox.wire import lists, router
from billing.sandbox.wire.errors import not_found
from billing.sandbox.wire.params import Params

_FILTERS = {
    "id": "string",
    "event_type": "enum",
    "source": "enum",
    "webhook_status": "enum",
    "occurred_at": "timestamp",
}
_COLUMNS = {name: name for name in ("event_type", "source", "webhook_status", "occurred_at")}


@router.get("event.list", "/events", takes=None)
def list_events(params: Params) -> Body:
    """A page of events; sorted by ``occurred_at`` those of one second keep the order in which they happened."""
    rows = Event.objects.all()
    if (start := params.instant("start_time")) is not None:
        rows = rows.filter(occurred_at__gte=start)
    if (end := params.instant("end_time")) is not None:
        rows = rows.filter(occurred_at__lte=end)
    return lists.page(
        rows,
        params,
        filters=_FILTERS,
        sorts=("occurred_at",),
        render=lambda event: {"event": events.render(event)},
        columns=_COLUMNS,
        also=("start_time", "end_time"),
    )


@router.get("event.retrieve", "/events/{handle}")
def retrieve(params: Params, handle: str) -> Body:
    """One event."""
    event = Event.objects.filter(handle=handle).first()
    if event is None:
        raise not_found("event", handle)
    return {"event": events.render(event)}
