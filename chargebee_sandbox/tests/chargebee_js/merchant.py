"""Serves the merchant's page and records everything that is sent to it."""

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
    """A site with one page: `files` it serves too, `policy` its CSP, `provider` the origin of the script."""

    origin: str = ""
    policy: str = ""
    provider: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    received: list[str] = field(default_factory=list)

    def allow_provider(self, provider: str) -> None:
        """Allow the page to load the provider's script and frames, and nothing else from other origins."""
        self.provider = provider
        self.policy = (
            f"default-src 'self'; script-src 'self' {provider}; frame-src {provider}; object-src 'none'; "
            "base-uri 'none'; frame-ancestors 'none'"
        )

    def render_page(self, script: str, flags: str) -> bytes:
        """Return the page, which runs a script."""
        return (
            f'<!DOCTYPE html><html lang="en"><title>Merchant</title><link rel="icon" href="/icon">'
            f'<body data-provider="{self.provider}" data-flags="{flags}"><h1>Pay</h1><div id="root"></div>'
            f'<script src="/{script}" defer></script></body></html>'
        ).encode()


@contextmanager
def serve_merchant() -> Iterator[Merchant]:
    """Serve a merchant on a free port."""
    merchant = Merchant()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            merchant.received.append(self.path)
            self._send_content()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            merchant.received.append(f"{self.path} {body!r}")
            self._send_content()

        def _send_content(self) -> None:
            url = urlsplit(self.path)
            script = merchant.files.get(url.path.removeprefix("/"))
            content = script or merchant.render_page(url.path.removeprefix("/on-"), url.query)
            self.send_response(200)
            self.send_header("Content-Type", "text/javascript" if script else "text/html")
            self.send_header("Content-Security-Policy", merchant.policy)
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_args: object) -> None:
            """Do not log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        merchant.origin = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        yield merchant
        server.shutdown()
