"""The console's page of faults: a form to order one, which ones wait, and what those did that struck."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_POST, require_safe

from billing.sandbox.console import chrome
from billing.sandbox.faults import journal, queue
from billing.sandbox.wire.errors import ApiError
from billing.sandbox.wire.params import Params


@require_safe
@csrf_protect
def faults(request: HttpRequest) -> HttpResponse:
    """The form, the faults that wait, and those that struck."""
    return _show(request, {})


@require_POST
@csrf_protect
def order(request: HttpRequest) -> HttpResponse:
    """Queue the fault of the form."""
    filled = {name: str(value) for name, value in request.POST.items() if name != "csrfmiddlewaretoken"}
    try:
        queue.order(Params(filled))
    except ApiError as refusal:
        return _show(request, filled, error=str(refusal), status=400)
    return HttpResponseRedirect(reverse("console:faults"))


@require_POST
@csrf_protect
def clear(request: HttpRequest) -> HttpResponse:
    """Forget all faults."""
    queue.clear()
    return HttpResponseRedirect(reverse("console:faults"))


def _show(
    request: HttpRequest, filled: dict[str, str], *, error: str = "", status: int = 200
) -> HttpResponse:
    context = {
        "filled": filled,
        "error": error,
        "waiting": queue.waiting(),
        "strikes": journal.newest(),
        "request_kinds": queue.REQUEST_KINDS,
        "webhook_kinds": queue.WEBHOOK_KINDS,
        "methods": queue.METHODS,
    }
    return chrome.show(request, "faults.html", context, tab="faults", status=status)
