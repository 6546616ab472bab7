"""The console's page of faults: what they are, which ones wait, and a form to order one."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_POST, require_safe

from billing.sandbox.console import chrome
from billing.sandbox.wire import faults
from billing.sandbox.wire.errors import ApiError
from billing.sandbox.wire.params import Params


@require_safe
@csrf_protect
def queue(request: HttpRequest) -> HttpResponse:
    """The faults that wait, and the form."""
    return _show(request)


@require_POST
@csrf_protect
def order(request: HttpRequest) -> HttpResponse:
    """Queue the fault of the form."""
    filled = {name: str(value) for name, value in request.POST.items() if name != "csrfmiddlewaretoken"}
    try:
        faults.order(Params(filled))
    except ApiError as refusal:
        return _show(request, error=str(refusal), status=400)
    return HttpResponseRedirect(reverse("console:faults"))


@require_POST
@csrf_protect
def clear(request: HttpRequest) -> HttpResponse:
    """Forget all faults."""
    faults.clear()
    return HttpResponseRedirect(reverse("console:faults"))


def _show(request: HttpRequest, *, error: str = "", status: int = 200) -> HttpResponse:
    context = {
        "error": error,
        "waiting": faults.waiting(),
        "kinds": faults.KINDS,
        "methods": faults.METHODS,
    }
    return chrome.show(request, "faults.html", context, tab="faults", status=status)
