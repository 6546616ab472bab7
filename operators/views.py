"""The pages on which operators manage their second factor, and a superuser that of others."""

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

from accounts.admin import journal
from accounts.models import User
from operators import second_factor
from operators.forms import EnrolForm, PasswordForm
from operators.models import KEY_BYTES, Authenticator

PENDING = "second_factor_key"
QR_SCALE, QR_BORDER = 5, 4  # the border is part of the code: four modules of nothing around it


@require_http_methods(["GET", "HEAD", "POST"])
def second_factor_page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Show the operator's second factor, and enrol an app. Raises Http404 where none is asked for."""
    user = _operator(request)
    if request.method == "POST":
        form = EnrolForm(request, request.POST)
        codes = _enrol(request, user, form)
        if codes:
            return _show_codes(request, context, user, codes)
    else:
        form = EnrolForm(request)
    return _show_page(request, context, user, form)


def _enrol(request: HttpRequest, user: User, form: EnrolForm) -> list[str]:
    """Enrol the app that was shown; give the recovery codes, or none and put the reason into the form."""
    if not form.is_valid():
        return []
    try:
        app, codes = second_factor.enrol(user, key=_pending_key(request), code=form.cleaned_data["code"])
    except second_factor.WrongCode:
        form.add_error("code", "That is not what the app should show. Is the clock of the phone right?")
        return []
    del request.session[PENDING]
    request.session.cycle_key()
    django_otp.login(request, app)
    journal.note(request, user, "Enrolled a second factor.")
    return codes


def _show_page(
    request: HttpRequest,
    context: dict[str, Any],
    user: User,
    form: EnrolForm,
    renewal: PasswordForm | None = None,
) -> HttpResponse:
    page = {
        **context,
        "title": "Second factor",
        "form": form,
        "renewal": renewal or _renewal(request),
        "enrolled": second_factor.is_enrolled(user),
        "codes_left": second_factor.recovery_codes_left(user),
        "key": _spelt_out(_pending_app(request, user)),
    }
    return render(request, "admin/second_factor.html", page)


def _renewal(request: HttpRequest, data: QueryDict | None = None) -> PasswordForm:
    # Two forms of one page ask for the password.
    return PasswordForm(request, data, auto_id="renew_%s")


@require_safe
def qr_code(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Draw what the app scans, as a picture of our own address, as the admin's policy wants it. Raises Http404."""
    app = _pending_app(request, _operator(request))
    drawn = BytesIO()
    segno.make(app.config_url, error="m").save(
        drawn, kind="svg", scale=QR_SCALE, border=QR_BORDER, light="#fff"
    )
    return HttpResponse(drawn.getvalue(), content_type="image/svg+xml")


@require_POST
def recovery_codes(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Give the operator new recovery codes. Raises Http404."""
    user = _operator(request)
    if not second_factor.is_enrolled(user):
        raise Http404
    renewal = _renewal(request, request.POST)
    if not renewal.is_valid():
        return _show_page(request, context, user, EnrolForm(request), renewal)
    codes = second_factor.renew_recovery_codes(user)
    journal.note(request, user, "Made new recovery codes.")
    return _show_codes(request, context, user, codes)


def _show_codes(request: HttpRequest, context: dict[str, Any], user: User, codes: list[str]) -> HttpResponse:
    page = {**context, "title": "Your recovery codes", "codes": codes, "operator": user}
    return render(request, "admin/second_factor_codes.html", page)


@require_http_methods(["GET", "HEAD", "POST"])
def start_anew(request: HttpRequest, context: dict[str, Any], user_id: int) -> HttpResponse:
    """Take another operator's second factor away and show the code to enrol with. Raises Http404, PermissionDenied."""
    _operator(request)
    if not request.user.is_superuser:
        raise PermissionDenied
    other = get_object_or_404(User, pk=user_id, is_staff=True)
    form = PasswordForm(request, request.POST or None)
    page = {**context, "title": f"Second factor of {other}", "operator": other, "form": form}
    if form.is_valid():
        code = second_factor.start_anew(other)
        journal.note(request, other, "Took the second factor away and made a first code.")
        return render(request, "admin/second_factor_codes.html", {**page, "codes": [code], "first": True})
    return render(request, "admin/second_factor_anew.html", page)


def _operator(request: HttpRequest) -> User:
    """Give who is signed in. Raises Http404 where this installation asks for no second factor."""
    if not settings.SECOND_FACTOR:
        raise Http404
    return get_object_or_404(User, username=request.user.get_username())


def _pending_key(request: HttpRequest) -> str:
    """Give the key of the app that is being enrolled; it is the session's until the app has shown that it has it."""
    key: str = request.session.setdefault(PENDING, random_hex(KEY_BYTES))
    return key


def _pending_app(request: HttpRequest, user: User) -> Authenticator:
    return Authenticator(user=user, key=_pending_key(request))


def _spelt_out(app: Authenticator) -> str:
    """Give the key for those who cannot scan."""
    letters = base64.b32encode(app.bin_key).decode()
    return " ".join(letters[start : start + 4] for start in range(0, len(letters), 4))
