"""The Content-Security-Policy of each page."""

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
# The attributes of a response with which django-csp overrides its policy.
OVERRIDE_ATTRIBUTES = ("_csp_config", "_csp_update", "_csp_replace", "_csp_exempt")
# The directives that a browser can name in a report; with `-elem` and `-attr` for what they split into.
DIRECTIVES = frozenset(
    [
        "default-src",
        "script-src",
        "script-src-elem",
        "script-src-attr",
        "style-src",
        "style-src-elem",
        "style-src-attr",
        "img-src",
        "font-src",
        "connect-src",
        "frame-src",
        "media-src",
        "manifest-src",
        "worker-src",
        "child-src",
        "form-action",
        "object-src",
        "base-uri",
        "frame-ancestors",
        "require-trusted-types-for",
        "trusted-types",
    ]
)
# Third-party scripts assign URLs of scripts and frames as strings, which Trusted Types forbid.
TRUSTED_TYPES_DIRECTIVES = ("require-trusted-types-for", "trusted-types")

PageView = Callable[[HttpRequest], HttpResponse]


class SplitPolicyMiddleware(CSPMiddleware):
    """Sets the strict policy, the admin's policy under /admin/, or the policy that a response overrides.

    The first two are built once, because django-csp would build them for each response.
    """

    def __init__(self, get_response: PageView) -> None:
        super().__init__(get_response)
        self._strict = build_policy()
        self._admin = build_policy(config=settings.ADMIN_CONTENT_SECURITY_POLICY)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Set the response's policy unless it has one."""
        if any(hasattr(response, name) for name in OVERRIDE_ATTRIBUTES):
            return super().process_response(request, response)
        response.setdefault(HEADER, self._admin if _is_admin_page(request) else self._strict)
        return response

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        """Return the parts of the policy of a response with overrides."""
        parts = super().get_policy_parts(request, response, report_only)
        if not report_only and parts.config is None and _is_admin_page(request):
            parts.config = settings.ADMIN_CONTENT_SECURITY_POLICY
        return parts


def _is_admin_page(request: HttpRequest) -> bool:
    return request.path_info.startswith(ADMIN_PREFIX)


def script_origin(address: str) -> str:
    """Return the origin of a script's URL."""
    script = urlsplit(address)
    return f"{script.scheme}://{script.netloc}"


def widget_policy() -> dict[str, list[str]]:
    """Return the strict policy without Trusted Types and with the support widget's origin."""
    policy = policy_without_trusted_types()
    origin = script_origin(settings.SUPPORT_WIDGET_URL)
    widened = {name: [*policy[name], origin] for name in ("script-src", "connect-src", "img-src")}
    return {**policy, **widened, "frame-src": [origin]}


def policy_without_trusted_types() -> dict[str, list[str]]:
    """Return the strict policy for pages with third-party scripts."""
    strict: dict[str, list[str]] = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    return {name: sources for name, sources in strict.items() if name not in TRUSTED_TYPES_DIRECTIVES}


def allow_widget(page: PageView) -> PageView:
    """Allow a page to load the support widget, if there is one. An error page keeps the strict policy."""

    @wraps(page)
    def page_with_widget(request: HttpRequest) -> HttpResponse:
        response = page(request)
        if settings.SUPPORT_WIDGET_URL and response.status_code == 200:
            response._csp_config = widget_policy()  # type: ignore[attr-defined]
        return response

    return page_with_widget
