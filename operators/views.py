"""The pages on which operators manage their second factor, and superusers reset that of others."""

from __future__ import annotations

import base64
from io import BytesIO
from typing import Any

import django_otp
import segno
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_otp.util import random_hex

from accounts.admin import audit_log
from accounts.models import User
from operators import second_factor
from operators.forms import EnrollForm, PasswordForm
from operators.models import KEY_BYTES, Authenticator

PENDING_KEY = "second_factor_key"
QR_SCALE, QR_BORDER = 5, 4  # scanners need a quiet zone of four modules


@require_http_methods(["GET", "HEAD", "POST"])
def second_factor_page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Show the operator's second factor, and enroll an app. Raises Http404 if none is required."""
    user = _current_operator(request)
    if request.method == "POST":
        form = EnrollForm(request, request.POST)
        codes = _enroll_app(request, user, form)
        if codes:
            return _show_codes(request, context, user, codes)
    else:
        form = EnrollForm(request)
    return _show_page(request, context, user, form)


def _enroll_app(request: HttpRequest, user: User, form: EnrollForm) -> list[str]:
    """Enroll the pending app and return its recovery codes; on failure add the error to the form and return none."""
    if not form.is_valid():
        return []
    try:
        app, codes = second_factor.enroll_app(user, key=_pending_key(request), code=form.cleaned_data["code"])
    except second_factor.WrongCode:
        form.add_error("code", "That code doesn't match. Check that your phone's clock is right.")
        return []
    del request.session[PENDING_KEY]
    request.session.cycle_key()
    django_otp.login(request, app)
    audit_log.log_action(request, user, "Enrolled a second factor.")
    return codes


def _show_page(
    request: HttpRequest,
    context: dict[str, Any],
    user: User,
    form: EnrollForm,
    renewal: PasswordForm | None = None,
) -> HttpResponse:
    page_context = {
        **context,
        "title": "Second factor",
        "form": form,
        "renewal": renewal or _renewal_form(request),
        "enrolled": second_factor.is_enrolled(user),
        "codes_left": second_factor.recovery_codes_left(user),
        "key": _format_key(_pending_app(request, user)),
    }
    return render(request, "admin/second_factor.html", page_context)


def _renewal_form(request: HttpRequest, data: QueryDict | None = None) -> PasswordForm:
    # The page has two password fields, which need different ids.
    return PasswordForm(request, data, auto_id="renew_%s")


@require_safe
def qr_code_image(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Return the QR code of the pending app, at its own URL because the policy allows no data URL. Raises Http404."""
    app = _pending_app(request, _current_operator(request))
    image = BytesIO()
    segno.make(app.config_url, error="m").save(image, kind="svg", scale=QR_SCALE, border=QR_BORDER, light="#fff")
    return HttpResponse(image.getvalue(), content_type="image/svg+xml")


@require_POST
def renew_recovery_codes_page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Replace the operator's recovery codes and show the new ones. Raises Http404."""
    user = _current_operator(request)
    if not second_factor.is_enrolled(user):
        raise Http404
    renewal = _renewal_form(request, request.POST)
    if not renewal.is_valid():
        return _show_page(request, context, user, EnrollForm(request), renewal)
    codes = second_factor.renew_recovery_codes(user)
    audit_log.log_action(request, user, "Created new recovery codes.")
    return _show_codes(request, context, user, codes)


def _show_codes(request: HttpRequest, context: dict[str, Any], user: User, codes: list[str]) -> HttpResponse:
    page_context = {**context, "title": "Your recovery codes", "codes": codes, "operator": user}
    return render(request, "admin/second_factor_codes.html", page_context)


@require_http_methods(["GET", "HEAD", "POST"])
def reset_second_factor_page(request: HttpRequest, context: dict[str, Any], user_id: int) -> HttpResponse:
    """Reset another operator's second factor and show the first code. Raises Http404 and PermissionDenied."""
    _current_operator(request)
    if not request.user.is_superuser:
        raise PermissionDenied
    other = get_object_or_404(User, pk=user_id, is_staff=True)
    form = PasswordForm(request, request.POST or None)
    page_context = {**context, "title": f"Second factor of {other}", "operator": other, "form": form}
    if form.is_valid():
        code = second_factor.reset_second_factor(other)
        audit_log.log_action(request, other, "Reset the second factor and created a first code.")
        codes_context = {**page_context, "codes": [code], "first": True}
        return render(request, "admin/second_factor_codes.html", codes_context)
    return render(request, "admin/second_factor_anew.html", page_context)


def _current_operator(request: HttpRequest) -> User:
    """Return the signed-in operator. Raises Http404 if the installation requires no second factor."""
    if not settings.SECOND_FACTOR:
        raise Http404
    return get_object_or_404(User, username=request.user.get_username())


def _pending_key(request: HttpRequest) -> str:
    """Return the key of the app to enroll, which is kept in the session until a code confirms it."""
    key: str = request.session.setdefault(PENDING_KEY, random_hex(KEY_BYTES))
    return key


def _pending_app(request: HttpRequest, user: User) -> Authenticator:
    return Authenticator(user=user, key=_pending_key(request))


def _format_key(app: Authenticator) -> str:
    """Return the key in groups of four, for operators who cannot scan the QR code."""
    letters = base64.b32encode(app.bin_key).decode()
    return " ".join(letters[start : start + 4] for start in range(0, len(letters), 4))
