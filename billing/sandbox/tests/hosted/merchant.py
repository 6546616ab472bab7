"""Serves the merchant's page and remembers everything that was sent to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

HERE = Path(__file__).parent


@dataclass
class Merchant:
    """A site of one page; `files` are served beside it, `policy` is its CSP and `provider` where the script is."""

    origin: str = ""
    policy: str = ""
    provider: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    received: list[str] = field(default_factory=list)

    def settle(self, provider: str) -> None:
        """Let the page load the provider's script and frames, and nothing else from elsewhere."""
        self.provider = provider
        self.policy = (
            f"default-src 'self'; script-src 'self' {provider}; frame-src {provider}; object-src 'none'; "
            "base-uri 'none'; frame-ancestors 'none'"
        )

    def page(self, script: str, flags: str) -> bytes:
        """The page, with the script that is to run in it."""
        return (
            f'<!DOCTYPE html><html lang="en"><title>Merchant</title><link rel="icon" href="/icon">'
            f'<body data-provider="{self.provider}" data-flags="{flags}"><h1>Pay</h1><div id="root"></div>'
            f'<script src="/{script}" defer></script></body></html>'
        ).encode()


@contextmanager
def serving() -> Iterator[Merchant]:
    """A merchant on a free port."""
    merchant = Merchant()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            merchant.received.append(self.path)
            self._answer()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            merchant.received.append(f"{self.path} {body!r}")
            self._answer()

        def _answer(self) -> None:
            address = urlsplit(self.path)
            held = merchant.files.get(address.path.removeprefix("/"))
            content = (
                merchant.page(address.path.removeprefix("/on-"), address.query) if held is None else held
            )
            self.send_response(200)
            self.send_header("Content-Type", "text/html" if held is None else "text/javascript")
            self.send_header("Content-Security-Policy", merchant.policy)
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        merchant.origin = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        yield merchant
        server.shutdown()
