"""Limits of what one account may ask of a process of the web server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from core import fair_share

if TYPE_CHECKING:
    # REST framework imports this module while it defines its views.
    from rest_framework.views import APIView


class AccountThrottle(BaseThrottle):
    """Lets a signed-in account have its share; requests without an account have limits of their own."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Return True. Raises Throttled, or AccountBusy."""
        if request.user.is_authenticated:
            handler = getattr(view, (request.method or "").lower(), None)
            is_long = request.method != "GET" or getattr(handler, "may_take_long", False)
            fair_share.take_share(str(request.user.pk), is_long=is_long)
        return True
