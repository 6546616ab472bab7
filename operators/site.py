"""The admin site, which in production requires a password and a second factor on every page."""

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

# The models that operators use most, in the order in which they are listed first on the index and in the sidebar.
DAILY_MODELS = (
    "accounts.account",
    "billing.systemhealth",
    "billing.churnreport",
    "accounts.brand",
    "billing.pauseoffercontent",
    "accounts.sitesettings",
)


class OperatorsSite(OTPAdminSite):  # type: ignore[misc]  # django-otp has no types
    """Django's admin site with the second factor, if the installation requires it, and the pages that manage it."""

    site_header = "Subscription portal"
    site_title = "Subscription portal"
    index_title = "Operations"
    site_url = None  # an operator is not a subscriber
    login_form = SignInForm
    login_template = "admin/sign_in.html"

    def __init__(self) -> None:
        # Django's templates and URLs use this name.
        super().__init__("admin")

    def has_permission(self, request: HttpRequest) -> bool:
        """Return whether the request is from an operator, with a second factor if the installation requires it."""
        if settings.SECOND_FACTOR:
            return bool(super().has_permission(request))
        return AdminSite.has_permission(self, request)

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return Django's context and whether pages link to the second factor."""
        return {**super().each_context(request), "second_factor": settings.SECOND_FACTOR}

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[dict[str, Any]]:
        """Return Django's list with `DAILY_MODELS` moved to a group at the top."""
        apps: list[dict[str, Any]] = super().get_app_list(request, app_label)
        if app_label is not None:
            return apps
        models = {model["model"]._meta.label_lower: model for app in apps for model in app["models"]}
        daily = [models[label] for label in DAILY_MODELS if label in models]
        rest = [{**app, "models": [model for model in app["models"] if model not in daily]} for app in apps]
        daily_group = {
            "name": "Every day",
            "app_label": "every-day",
            "app_url": f"{reverse('admin:index')}#content-start",
            "has_module_perms": True,
            "models": daily,
        }
        return [group for group in (daily_group, *rest) if group["models"]]

    def admin_view(self, view: AnyView, cacheable: bool = False) -> AnyView:
        """Protect a view; redirect an operator who signed in with a first code to enroll an app."""

        @wraps(view)
        def enrolled_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if view != self.logout and has_to_enroll(request):
                return redirect("admin:second_factor")
            return view(request, *args, **kwargs)

        return self._guard_view(enrolled_view, cacheable)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Add the pages of the second factor, which can be used before enrolling."""
        # Imported here because the views import the audit log, which registers a model with this site.
        from operators import views

        own = [
            path("second-factor/", self._wrap_page(views.second_factor_page), name="second_factor"),
            path("second-factor/qr.svg", self._wrap_page(views.qr_code_image), name="second_factor_qr"),
            path(
                "second-factor/codes/",
                self._wrap_page(views.renew_recovery_codes_page),
                name="second_factor_codes",
            ),
            path(
                "second-factor/<int:user_id>/",
                self._wrap_page(views.reset_second_factor_page),
                name="second_factor_anew",
            ),
        ]
        return [*own, *super().get_urls()]

    def _wrap_page(self, view: Callable[..., HttpResponse]) -> AnyView:
        @wraps(view)
        def view_with_context(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            return view(request, self.each_context(request), **kwargs)

        return self._guard_view(view_with_context)

    def _guard_view(self, view: AnyView, cacheable: bool = False) -> AnyView:
        guarded: AnyView = super().admin_view(view, cacheable)
        return guarded


def has_to_enroll(request: HttpRequest) -> bool:
    """Return whether the operator signed in with a written code and has no app."""
    if not settings.SECOND_FACTOR or not isinstance(request.user, User):
        return False
    by_app = isinstance(getattr(request.user, "otp_device", None), Authenticator)
    return not by_app and not second_factor.is_enrolled(request.user)
