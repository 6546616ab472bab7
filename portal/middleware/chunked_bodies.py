"""Request bodies with chunked transfer encoding."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


class ChunkedBodyMiddleware:
    """Reads a chunked body and sets its `Content-Length`.

    Django treats a request without `Content-Length` as one without a body. A list of subscriptions to resume would be
    ignored, and all would be resumed. At most one byte more than the limit is read, so that Django refuses the body as
    too large.
    """

    def __init__(self, application: WSGIApplication, limit: int) -> None:
        self.application = application
        self.limit = limit

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Call the application with the body's length, or respond with 400 if the chunks are malformed."""
        if environ.get("HTTP_TRANSFER_ENCODING") and not environ.get("CONTENT_LENGTH"):
            try:
                body = _read_up_to(environ["wsgi.input"], self.limit + 1)
            except OSError:  # gunicorn's parse errors derive from it
                start_response("400 Bad Request", [("Content-Length", "0"), ("Connection", "close")])
                return []
            environ["wsgi.input"], environ["CONTENT_LENGTH"] = io.BytesIO(body), str(len(body))
        return self.application(environ, start_response)


def _read_up_to(stream: Any, limit: int) -> bytes:
    """Return at most `limit` bytes of the stream; a single read may return fewer than there are."""
    parts: list[bytes] = []
    while limit > 0 and (part := stream.read(limit)):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)
