"""The console's page of faults: a form to order one, the waiting faults, and the strikes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_POST, require_safe

from chargebee_sandbox.api.errors import ApiError
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.console import layout
from chargebee_sandbox.faults import fault_queue, strike_log


@require_safe
@csrf_protect
def faults_page(request: HttpRequest) -> HttpResponse:
    """Show the form, the waiting faults, and the strikes."""
    return _render_faults(request, {})


@require_POST
@csrf_protect
def order_fault(request: HttpRequest) -> HttpResponse:
    """Queue the fault of the form."""
    values = {name: str(value) for name, value in request.POST.items() if name != "csrfmiddlewaretoken"}
    try:
        fault_queue.order_fault(Params(values))
    except ApiError as error:
        return _render_faults(request, values, error=str(error), status=400)
    return HttpResponseRedirect(reverse("console:faults"))


@require_POST
@csrf_protect
def clear_faults(request: HttpRequest) -> HttpResponse:
    """Remove all faults."""
    fault_queue.clear_faults()
    return HttpResponseRedirect(reverse("console:faults"))


def _render_faults(request: HttpRequest, values: dict[str, str], *, error: str = "", status: int = 200) -> HttpResponse:
    context = {
        "filled": values,
        "error": error,
        "waiting": fault_queue.waiting_faults(),
        "strikes": strike_log.recent_strikes(),
        "request_kinds": fault_queue.REQUEST_KINDS,
        "webhook_kinds": fault_queue.WEBHOOK_KINDS,
        "methods": fault_queue.REQUEST_METHODS,
    }
    return layout.render_page(request, "faults.html", context, tab="faults", status=status)
