"""The admin's site: in production every page of it wants a password and a second factor (security, row 39)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, path, reverse
from django_otp.admin import OTPAdminSite

from accounts.models import User
from operators import second_factor
from operators.forms import SignInForm
from operators.models import Authenticator

AnyView = Callable[..., HttpResponseBase]

# What operators come for, in the order in which they look: by app and model, first on the index and in the sidebar.
DAILY = (
    "accounts.account",
    "billing.machinery",
    "billing.retentionreport",
    "accounts.brand",
    "billing.retentioncontent",
    "accounts.sitesettings",
)


class OperatorsSite(OTPAdminSite):  # type: ignore[misc]  # django-otp has no types
    """Django's, with the second factor where there has to be one, and the pages on which it is managed."""

    site_header = "Subscription portal"
    site_title = "Subscription portal"
    index_title = "Operations"
    site_url = None  # an operator is not a subscriber
    login_form = SignInForm
    login_template = "admin/sign_in.html"

    def __init__(self) -> None:
        # The name by which all of Django's own templates and addresses find it.
        super().__init__("admin")

    def has_permission(self, request: HttpRequest) -> bool:
        """Whether the request is an operator's, proved as this installation wants it."""
        if settings.SECOND_FACTOR:
            return bool(super().has_permission(request))
        return AdminSite.has_permission(self, request)

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Tell every page whether there is a second factor to link to."""
        return {**super().each_context(request), "second_factor": settings.SECOND_FACTOR}

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[dict[str, Any]]:
        """Give Django's list, with what operators come for taken out of the fifty models and put first."""
        apps: list[dict[str, Any]] = super().get_app_list(request, app_label)
        if app_label is not None:
            return apps
        found = {model["model"]._meta.label_lower: model for app in apps for model in app["models"]}
        daily = [found[label] for label in DAILY if label in found]
        rest = [{**app, "models": [model for model in app["models"] if model not in daily]} for app in apps]
        first = {
            "name": "Every day",
            "app_label": "every-day",
            "app_url": f"{reverse('admin:index')}#content-start",
            "has_module_perms": True,
            "models": daily,
        }
        return [one for one in (first, *rest) if one["models"]]

    def admin_view(self, view: AnyView, cacheable: bool = False) -> AnyView:
        """Show a page to operators; to one who was let in to enrol, that page first."""

        @wraps(view)
        def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if view != self.logout and has_to_enrol(request):
                return redirect("admin:second_factor")
            return view(request, *args, **kwargs)

        return self._for_operators(shown, cacheable)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Add the pages of the second factor, which are open before there is an app."""
        # Imported here: the journal they write registers with the very site that is being made.
        from operators import views

        own = [
            path("second-factor/", self._page(views.second_factor_page), name="second_factor"),
            path("second-factor/qr.svg", self._page(views.qr_code), name="second_factor_qr"),
            path("second-factor/codes/", self._page(views.recovery_codes), name="second_factor_codes"),
            path("second-factor/<int:user_id>/", self._page(views.start_anew), name="second_factor_anew"),
        ]
        return [*own, *super().get_urls()]

    def _page(self, view: Callable[..., HttpResponse]) -> AnyView:
        @wraps(view)
        def shown(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            return view(request, self.each_context(request), **kwargs)

        return self._for_operators(shown)

    def _for_operators(self, view: AnyView, cacheable: bool = False) -> AnyView:
        guarded: AnyView = super().admin_view(view, cacheable)
        return guarded


def has_to_enrol(request: HttpRequest) -> bool:
    """Whether the operator came in by a written code and has no app."""
    if not settings.SECOND_FACTOR or not isinstance(request.user, User):
        return False
    by_app = isinstance(getattr(request.user, "otp_device", None), Authenticator)
    return not by_app and not second_factor.is_enrolled(request.user)
