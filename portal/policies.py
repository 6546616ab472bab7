"""Which security headers go with which page."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from urllib.parse import urlsplit

from csp.constants import HEADER
from csp.middleware import CSPMiddleware, PolicyParts
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

ADMIN_PREFIX = "/admin/"
# Where django-csp looks for what a page asks for itself.
WISHES = ("_csp_config", "_csp_update", "_csp_replace", "_csp_exempt")
# Scripts of others set the addresses of scripts and frames as plain text, which Trusted Types forbid.
TRUSTED_TYPES = ("require-trusted-types-for", "trusted-types")

Page = Callable[[HttpRequest], HttpResponse]


class SplitPolicyMiddleware(CSPMiddleware):
    """The strict policy everywhere, the admin's own under /admin/, and what a page has asked for itself.

    The first two are put into words once: the library would do it anew for each answer.
    """

    def __init__(self, get_response: Page) -> None:
        super().__init__(get_response)
        self._strict = build_policy()
        self._admin = build_policy(config=settings.ADMIN_CONTENT_SECURITY_POLICY)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Give the response its policy, unless it has one."""
        if any(hasattr(response, wish) for wish in WISHES):
            return super().process_response(request, response)
        response.setdefault(HEADER, self._admin if _is_admins(request) else self._strict)
        return response

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        """Return the parts of the policy of a response that has asked for something itself."""
        parts = super().get_policy_parts(request, response, report_only)
        if not report_only and parts.config is None and _is_admins(request):
            parts.config = settings.ADMIN_CONTENT_SECURITY_POLICY
        return parts


def _is_admins(request: HttpRequest) -> bool:
    return request.path_info.startswith(ADMIN_PREFIX)


def origin_of(address: str) -> str:
    """Give the origin of a script's address."""
    script = urlsplit(address)
    return f"{script.scheme}://{script.netloc}"


def provider_origin() -> str:
    """Give the origin of the provider's script."""
    return origin_of(settings.CHARGEBEE_JS_URL)


def provider_policy() -> dict[str, list[str]]:
    """Give the strict policy with the provider's script and frames allowed in it, and nothing else new."""
    strict: dict[str, list[str]] = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    kept = {name: sources for name, sources in strict.items() if name not in TRUSTED_TYPES}
    origin = provider_origin()
    return {**kept, "script-src": [*strict["script-src"], origin], "frame-src": [origin]}


def widget_policy() -> dict[str, list[str]]:
    """Give the strict policy with the support widget's own origin allowed in it, and nothing else new."""
    strict: dict[str, list[str]] = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    kept = {name: sources for name, sources in strict.items() if name not in TRUSTED_TYPES}
    origin = origin_of(settings.SUPPORT_WIDGET_URL)
    widened = {name: [*strict[name], origin] for name in ("script-src", "connect-src", "img-src")}
    return {**kept, **widened, "frame-src": [origin]}


def allow_widget(page: Page) -> Page:
    """Let a page load the support widget, where the installation has one. A failure keeps the strict policy."""

    @wraps(page)
    def served(request: HttpRequest) -> HttpResponse:
        response = page(request)
        if settings.SUPPORT_WIDGET_URL and response.status_code == 200:
            response._csp_config = widget_policy()  # type: ignore[attr-defined]
        return response

    return served


def allow_provider(page: Page) -> Page:
    """Let a page load the provider's script and frames. A failure of the page keeps the strict policy."""

    @wraps(page)
    def served(request: HttpRequest) -> HttpResponse:
        response = page(request)
        if response.status_code == 200:
            # Where django-csp looks for a response's own policy; its decorator would take one fixed at import.
            response._csp_config = provider_policy()  # type: ignore[attr-defined]
        return response

    return served


def allow_popups(page: Page) -> Page:
    """Let a window that a page's frames open keep its tie to them, as PayPal's has to. A failure stays alone."""

    @wraps(page)
    def served(request: HttpRequest) -> HttpResponse:
        response = page(request)
        if response.status_code == 200:
            response["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
        return response

    return served
