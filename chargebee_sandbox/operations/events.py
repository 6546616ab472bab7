"""Operations on events."""

from __future__ import annotations

from chargebee_sandbox import event_log
from chargebee_sandbox.api import lists, router
from chargebee_sandbox.api.errors import not_found
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.body import Body
from chargebee_sandbox.models import Event

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
    """Return a page of events; those of the same second keep their order when sorted by ``occurred_at``."""
    rows = Event.objects.all()
    if (start := params.instant("start_time")) is not None:
        rows = rows.filter(occurred_at__gte=start)
    if (end := params.instant("end_time")) is not None:
        rows = rows.filter(occurred_at__lte=end)
    return lists.list_page(
        rows,
        params,
        filters=_FILTERS,
        sorts=("occurred_at",),
        render=lambda event: {"event": event_log.render_event(event)},
        columns=_COLUMNS,
        also=("start_time", "end_time"),
    )


@router.get("event.retrieve", "/events/{handle}")
def retrieve_event(params: Params, handle: str) -> Body:
    """Return an event."""
    event = Event.objects.filter(handle=handle).first()
    if event is None:
        raise not_found("event", handle)
    return {"event": event_log.render_event(event)}
