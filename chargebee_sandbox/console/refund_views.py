"""The console's page that refunds an invoice or credits a part of it, as customer service does at the provider."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_http_methods

from chargebee_sandbox import clock, event_log
from chargebee_sandbox.api.errors import ApiError
from chargebee_sandbox.api.params import Params
from chargebee_sandbox.console import layout, table_rows
from chargebee_sandbox.engine import due_work
from chargebee_sandbox.engine.billing import credit_notes
from chargebee_sandbox.engine.write_lock import hold_write_lock
from chargebee_sandbox.models import Invoice
from chargebee_sandbox.operations.invoicing import refunds

_CONSOLE_USER = "console@portal-test"
_WAYS = (("refund", "To the payment method"), ("credit", "As credit for the next invoices"))


@require_http_methods(["GET", "HEAD", "POST"])
@csrf_protect
def refund_page(request: HttpRequest, handle: str) -> HttpResponse:
    """Show what can be refunded of an invoice, or refund it."""
    invoice = Invoice.objects.filter(handle=handle).first()
    if invoice is None:
        return layout.not_found_page(request, "There is no invoice of that number.", tab="customers")
    error = ""
    if request.method == "POST":
        error = _refund_or_explain(request, handle)
        if not error:
            return HttpResponseRedirect(reverse("console:customer", args=[invoice.customer_id]))
    left = credit_notes.refundable_amount(invoice)
    context = {
        "number": handle,
        "customer": invoice.customer_id,
        "left": table_rows.format_money(left, invoice["currency_code"]),
        "amount": request.POST.get("amount", f"{left / 100:.2f}"),
        "is_refundable": left > 0,
        "ways": _WAYS,
        "reasons": [table_rows.StatusLabel(code) for code in refunds.REASON_CODES],
        "error": error,
    }
    return layout.render_page(request, "refund.html", context, tab="customers", status=400 if error else 200)


def _refund_or_explain(request: HttpRequest, handle: str) -> str:
    """Refund or credit as the form says; return why that is refused, empty if it is done."""
    cents = _read_cents(request.POST.get("amount", ""))
    if cents is None:
        return "The amount should be in dollars and cents, such as 6.99."
    reason = request.POST.get("reason", "other")
    try:
        with event_log.act_as("admin_console", _CONSOLE_USER), hold_write_lock():
            due_work.run_due_work()
            with clock.hold_time(), transaction.atomic():
                _act(request.POST.get("way", ""), handle, cents, reason)
    except ApiError as error:
        return str(error)
    return ""


def _act(way: str, handle: str, cents: str, reason: str) -> None:
    if way == "refund":
        refunds.refund_invoice(Params({"refund_amount": cents, "credit_note": {"reason_code": reason}}), handle)
    else:
        order = {"reference_invoice_id": handle, "total": cents, "type": "refundable", "reason_code": reason}
        refunds.create_credit_note(Params(order))


def _read_cents(text: str) -> str | None:
    try:
        cents = Decimal(text.strip().removeprefix("$")) * 100
    except InvalidOperation:
        return None
    return str(int(cents)) if cents.is_finite() and cents == cents.to_integral_value() else None
