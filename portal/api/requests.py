"""What is asked of a request wherever it is answered: by whom it was made, and under which id."""

from __future__ import annotations

from django.http import HttpRequest

from portal import logs

MACHINE_READ = ("/api/", "/webhooks/")


def speaks_json(request: HttpRequest) -> bool:
    """Whether whoever asks is a program, and is answered as one."""
    return f"{request.path_info}/".startswith(MACHINE_READ)


def request_id_of(request: HttpRequest | None) -> str:
    """Return the id under which this request is in the logs."""
    return getattr(request, "request_id", None) or logs.current_request_id()
