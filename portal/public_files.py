"""`/robots.txt` and `/.well-known/security.txt`, and the reports of browsers about the content security policy."""

from __future__ import annotations

import json
import logging
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from portal.middleware.csp import DIRECTIVES
from portal.monitoring import metrics

logger = logging.getLogger(__name__)

# The landing page is for everybody; what is behind it needs a session.
ROBOTS = "User-agent: *\nAllow: /$\nDisallow: /\n"
# RFC 9116 recommends less than a year, after which nobody trusts the file.
CONTACT_LIFETIME = timedelta(days=180)
REPORT_LIMIT = 16 * 1024
OTHER_DIRECTIVE = "other"


@require_safe
@cache_control(public=True, max_age=86_400)
def robots_file(request: HttpRequest) -> HttpResponse:
    """Return what search engines may read."""
    return HttpResponse(ROBOTS, "text/plain; charset=utf-8")


@require_safe
@cache_control(public=True, max_age=86_400)
def security_contact_file(request: HttpRequest) -> HttpResponse:
    """Return where to report a vulnerability (RFC 9116). Raises `Http404` unless SECURITY_CONTACT is set."""
    if not settings.SECURITY_CONTACT:
        raise Http404
    expires = (timezone.now() + CONTACT_LIFETIME).strftime("%Y-%m-%dT00:00:00Z")
    lines = (
        f"Contact: {settings.SECURITY_CONTACT}",
        f"Expires: {expires}",
        "Preferred-Languages: en",
        f"Canonical: {settings.BASE_URL}/.well-known/security.txt",
    )
    return HttpResponse("\n".join(lines) + "\n", "text/plain; charset=utf-8")


@csrf_exempt
@require_POST
@never_cache
def policy_report(request: HttpRequest) -> HttpResponse:
    """Count a browser's report that a page broke the policy. Anybody can send one, so it is a hint only."""
    report = _read_report(request)
    if report is None:
        return HttpResponse(status=400)
    named = str(report.get("effective-directive") or report.get("violated-directive") or "").split(" ", 1)[0]
    directive = named if named in DIRECTIVES else OTHER_DIRECTIVE
    metrics.count_policy_report(directive)
    # Of the addresses only the origin: a path may hold a token.
    logger.info("A browser reported a violation of %s by %s.", directive, _blocked_origin(report))
    return HttpResponse(status=204)


def _read_report(request: HttpRequest) -> dict[str, Any] | None:
    """Return the report in a request's body, or None if there is none."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > REPORT_LIMIT:
        return None
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError):
        return None
    report = body.get("csp-report") if isinstance(body, dict) else None
    return report if isinstance(report, dict) else None


def _blocked_origin(report: dict[str, Any]) -> str:
    """Return the origin of what was blocked, or its kind, such as `inline`, without characters that break a line."""
    text = str(report.get("blocked-uri") or "")[:200]
    try:
        address = urlsplit(text)
        blocked = f"{address.scheme}://{address.hostname}" if address.hostname else text.split(":", 1)[0]
    except ValueError:
        blocked = "an unreadable address"
    return "".join(character for character in blocked if character.isprintable())[:100]
