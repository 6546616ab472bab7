"""The portal as a WSGI application; what it is compared with runs without middleware."""

from typing import Any

from django.core.handlers.wsgi import WSGIHandler
from django.test import override_settings

from portal.wsgi import application as portal  # first: it sets Django up, which views need

from dev.benches.support.urls import BARE, PEER  # isort: skip


class _Bare(WSGIHandler):
    def load_middleware(self, is_async: bool = False) -> None:
        with override_settings(MIDDLEWARE=[]):
            super().load_middleware(is_async)


_bare = _Bare()


def application(environ: dict[str, Any], start_response: Any) -> Any:
    """Answer a request."""
    answer = _bare if environ["PATH_INFO"] in (BARE, PEER) else portal
    return answer(environ, start_response)
