"""Seeing what a subscriber sees: an operator's view of an account, read-only and for fifteen minutes (decision 34).

A view counts only together with the session in the admin in which its screens were opened: it ends when that ends,
also if the operator signs in again, when the operator is deactivated or loses the permission, and when it expires or is
ended. Its token is in a cookie of its own. It is never a token of the subscriber, and it authenticates reads alone.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib import admin
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from accounts.models import Account, User
from accounts.profile import events
from core.errors import PortalError
from operators.models import AccountView
from operators.network import can_reach_admin

PERMISSION = "operators.open_accountview"
DURATION = timedelta(minutes=15)
FIRST_SCREEN = "/dashboard"
VIEW_HEADER = "X-View"
# Where the operator's session has the digest of its view.
SESSION_KEY = "account_view"


class ViewOnly(PortalError):
    """An operator who only sees an account asked for a change of it."""

    code = "view_only"
    status = 403
    message = "You're seeing a subscriber's screens. Nothing can be changed there. End the view to continue."


class ViewAuthentication(BaseAuthentication):
    """Authenticates reads with an operator's view of an account, as its subscriber."""

    def authenticate(self, request: Request) -> tuple[User, AccountView] | None:
        """Return the subscriber's user and the view, or None without an open one. A change is never authenticated.

        A page says which view it shows: the cookie, which all tabs share, may be that of a later one by now.
        """
        if request.method not in SAFE_METHODS:
            return None
        view = find_open_view(request._request)
        return None if view is None or not _is_shown(request, view) else (view.account.user, view)


@transaction.atomic
def begin_view(account: Account, operator: User, *, actor: str, reason: str) -> AccountView:
    """Begin a view of an account, and tell its subscriber in the activity; the operator's earlier view ends."""
    now = timezone.now()
    AccountView.objects.filter(operator=operator).delete()
    events.record_event(
        account,
        kind="screens_viewed",
        text="Customer Service looked at your account. They couldn't change anything.",
        actor=actor,
        reason=reason,
        at=now,
    )
    return AccountView.objects.create(operator=operator, account=account, expires_at=now + DURATION)


def open_screens(request: HttpRequest, account: Account) -> HttpResponse:
    """Lead the operator to the first screen of the view that has begun, with its cookie; without one, to the account.

    Each time there is a new token, which the cookie alone has.
    """
    token, now = secrets.token_urlsafe(32), timezone.now()
    views = AccountView.objects.filter(operator=request.user.pk, account=account, expires_at__gt=now)
    if not views.update(digest=_digest(token)):
        return HttpResponseRedirect(_account_url(account.pk))
    request.session[SESSION_KEY] = _digest(token)
    response = HttpResponseRedirect(FIRST_SCREEN)
    response.set_cookie(
        settings.VIEW_COOKIE_NAME,
        token,
        max_age=DURATION,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )
    return response


@require_POST
def end_view(request: HttpRequest) -> HttpResponse:
    """End the operator's view, and lead back to the account's page; to the front page if it has ended already.

    A page says which view it shows, as `ViewAuthentication` says: a later one, in another tab, goes on.
    """
    view = AccountView.objects.filter(digest=_cookie_digest(request), operator=request.user.pk).first()
    if view is not None and request.POST.get("view", str(view.pk)) != str(view.pk):
        return HttpResponseRedirect(reverse("admin:index"))
    if view is not None:
        view.delete()
    response = HttpResponseRedirect(_account_url(view.account_id) if view else reverse("admin:index"))
    response.delete_cookie(settings.VIEW_COOKIE_NAME, samesite="Strict")
    return response


def find_open_view(request: HttpRequest) -> AccountView | None:
    """Return the view of an account that the request belongs to, with the account and its user; None without one."""
    # A request with a token of its own is the subscriber's whose token it is.
    if settings.VIEW_COOKIE_NAME not in request.COOKIES or "Authorization" in request.headers:
        return None
    views = AccountView.objects.select_related("account__user")
    view = views.filter(digest=_cookie_digest(request), expires_at__gt=timezone.now()).first()
    return view if view is not None and _may_see(request, view) else None


def delete_old_views() -> None:
    """Delete the views that have expired."""
    AccountView.objects.filter(expires_at__lte=timezone.now()).delete()


def _is_shown(request: Request, view: AccountView) -> bool:
    """Return whether the page that asks, if it names a view, shows this one."""
    return request.headers.get(VIEW_HEADER, str(view.pk)) == str(view.pk)


def _may_see(request: HttpRequest, view: AccountView) -> bool:
    """Return whether the view's operator asks, from an allowed network and in its session, and has the permission."""
    is_operator = can_reach_admin(request) and request.user.pk == view.operator_id
    is_allowed = is_operator and admin.site.has_permission(request) and request.user.has_perm(PERMISSION)
    # Last, since a session that has lasted too long has just ended.
    return is_allowed and request.session.get(SESSION_KEY) == view.digest


def _cookie_digest(request: HttpRequest) -> str:
    # Never that of a view whose screens were not opened, which is empty.
    return _digest(request.COOKIES.get(settings.VIEW_COOKIE_NAME, ""))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _account_url(account_id: int) -> str:
    return reverse("admin:accounts_account_change", args=[account_id])
