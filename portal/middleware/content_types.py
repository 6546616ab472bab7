"""The `Content-Type` of requests."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.utils.http import parse_header_parameters

UNKNOWN_TYPE = "application/octet-stream"


class ContentTypeMiddleware:
    """Replaces a `Content-Type` that is unreadable or names another character set than UTF-8 with an unknown type.

    Django takes the name of any Python codec for a character set, also of one that is none, such as `zlib`. It then
    fails while it makes the request, before anything can answer with the portal's headers.
    """

    def __init__(self, application: WSGIApplication) -> None:
        self.application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Call the application, which refuses a body of an unknown type where it reads one."""
        if not _is_utf8(environ.get("CONTENT_TYPE", "")):
            environ["CONTENT_TYPE"] = UNKNOWN_TYPE
        return self.application(environ, start_response)


def _is_utf8(content_type: str) -> bool:
    try:
        _, parameters = parse_header_parameters(content_type)
        return codecs.lookup(parameters.get("charset", "utf-8")).name == "utf-8"
    except (LookupError, ValueError):
        return False
