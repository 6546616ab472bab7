"""The admin site, which in production requires a password and a second factor on every page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils import timezone
from django_otp.admin import OTPAdminSite

from accounts.models import User
from accounts.sign_in.known_browsers import remember_browser
from operators import second_factor
from operators.forms import SignInForm
from operators.lockout import OPERATORS
from operators.models import Authenticator
from operators.sessions import end_old_session

AnyView = Callable[..., HttpResponseBase]

# The pages that operators use most, in the order of the menu on top of every page. All others are below "All records".
MENU = (
    ("Accounts", "accounts.account"),
    ("System health", "billing.systemhealth"),
    ("Churn report", "billing.churnreport"),
    ("Revenue", "billing.revenuereport"),
    ("Brands", "accounts.brand"),
    ("Pause offers", "billing.cancelscreenoffer"),
    ("Pause titles", "billing.pauseoffercontent"),
    ("Survey", "billing.surveyquestion"),
    ("Site settings", "accounts.sitesettings"),
)


@dataclass(frozen=True)
class MenuEntry:
    """A link of the menu. `is_current` says whether the page is below its address."""

    label: str
    address: str
    is_current: bool


class OperatorsSite(OTPAdminSite):  # type: ignore[misc]  # django-otp has no types
    """Django's admin site with the second factor, if the installation requires it, and the pages that manage it."""

    site_header = "Subscription portal"
    site_title = "Subscription portal"
    index_title = "Operations"
    site_url = None  # an operator is not a subscriber
    enable_nav_sidebar = False  # the menu is on top
    login_form = SignInForm
    login_template = "admin/sign_in.html"

    def __init__(self) -> None:
        # Django's templates and URLs use this name.
        super().__init__("admin")

    def has_permission(self, request: HttpRequest) -> bool:
        """Return whether the request is from an operator, with a second factor if the installation requires it.

        A session that has lasted too long ends here.
        """
        end_old_session(request)
        if settings.SECOND_FACTOR:
            return bool(super().has_permission(request))
        return AdminSite.has_permission(self, request)

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return Django's context with the menu, the clock, and whether pages link to the second factor."""
        return {
            **super().each_context(request),
            "menu": list(self._menu_entries(request)),
            "clock_name": timezone.get_current_timezone_name().replace("_", " "),
            "second_factor": settings.SECOND_FACTOR,
        }

    def _menu_entries(self, request: HttpRequest) -> Iterator[MenuEntry]:
        yield self._menu_entry(request, "Desk", "index", is_exact=True)
        for label, model_name in MENU:
            model = apps.get_model(model_name)
            if self._registry[model].has_view_permission(request):
                yield self._menu_entry(request, label, f"{model._meta.app_label}_{model._meta.model_name}_changelist")
        yield self._menu_entry(request, "All records", "records")

    def _menu_entry(self, request: HttpRequest, label: str, page: str, *, is_exact: bool = False) -> MenuEntry:
        address = reverse(f"admin:{page}")
        is_current = request.path == address if is_exact else request.path.startswith(address)
        return MenuEntry(label, address, is_current)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the sign-in page, or sign in; the browser is known for the operator from then on."""
        response: HttpResponse = super().login(request, extra_context)
        if request.method == "POST" and response.status_code == HTTPStatus.FOUND and request.user.is_authenticated:
            remember_browser(request, response, request.user.get_username(), cookie=OPERATORS)
        return response

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the desk, or what a search found; a single finding is opened at once."""
        # Imported here because the admin of accounts registers its models with this site.
        from accounts.admin.desk import front_page

        query = front_page.clean_query(request.GET.get("q", ""))
        findings = front_page.find_pages(query, request.user) if query else []
        if len(findings) == 1:
            return redirect(findings[0].address)
        panels = [] if query else list(front_page.desk_panels(request))
        can_search = front_page.can_search(request.user)
        context = {
            "can_search": can_search,
            "query": query,
            "findings": findings,
            "has_more": len(findings) >= front_page.MAX_FINDINGS,
            "panels": panels,
            # For operators of content, who have no desk.
            "app_list": [] if can_search or panels else self.get_app_list(request),
            **(extra_context or {}),
        }
        request.current_app = self.name
        return TemplateResponse(
            request, "admin/index.html", {**self.each_context(request), "title": self.index_title, **context}
        )

    def records_page(self, request: HttpRequest) -> HttpResponse:
        """Show the lists of everything that is stored, as far as the operator may see it, by application."""
        context = {**self.each_context(request), "title": "All records", "app_list": self.get_app_list(request)}
        return TemplateResponse(request, "admin/records.html", context)

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
        from operators import account_views, views

        own = [
            path("records/", self.admin_view(self.records_page), name="records"),
            path("view/end/", self._guard_view(account_views.end_view), name="end_view"),
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
