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


NONCE = "bm9uY2Utb2YtdGhlLW1lcmNoYW50"
PAYPAL_DOMAINS = ("paypal", "paypalobjects")
BRAINTREE_DOMAINS = ("braintreegateway",)
CARD_HOSTS = {
    "stripe": ("js.stripe", "api.stripe", "hooks.stripe"),
    "braintree": (
        *("js.braintreegateway", "api.braintreegateway"),
        *("songbird.cardinalcommerce", "centinelapi.cardinalcommerce"),
    ),
}


@dataclass
class Merchant:
    """A site with one page: `files` it serves too, `provider` the origin of the script."""

    origin: str = ""
    provider: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    received: list[str] = field(default_factory=list)

    def policy_for(self, flags: str) -> str:
        """Return the page's CSP: it allows the provider, and PayPal or the gateways that the flags name."""
        domains = (*PAYPAL_DOMAINS, *BRAINTREE_DOMAINS) if "braintree" in flags else PAYPAL_DOMAINS
        port = self.provider.rpartition(":")[2]
        allows_services = "paypal" in flags and "blocked" not in flags
        names = [f"*.{name}" for name in domains] if allows_services else []
        if "paypal" not in flags:
            names += [host for gateway, hosts in CARD_HOSTS.items() if gateway in flags for host in hosts]
        services = " ".join(f"http://{name}.localhost:{port}" for name in names)
        nonce = "" if "blocked" in flags or "without-nonce" in flags else f"'nonce-{NONCE}'"
        return (
            f"default-src 'self'; script-src 'self' {self.provider} {services} {nonce}; "
            f"style-src 'self' {services} {nonce}; connect-src 'self' {services}; img-src 'self' {services}; "
            f"frame-src {self.provider} http://issuer.localhost:{port} {services}; "
            "object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
        )

    def render_page(self, script: str, flags: str) -> bytes:
        """Return the page, which runs a script."""
        return (
            f'<!DOCTYPE html><html lang="en"><title>Merchant</title><link rel="icon" href="/icon">'
            f'<body data-provider="{self.provider}" data-nonce="{NONCE}" data-flags="{flags}">'
            f'<h1>Pay</h1><div id="root"></div><script src="/{script}" defer></script></body></html>'
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
            self.send_header("Content-Security-Policy", merchant.policy_for(url.query))
            opener = "same-origin" if "isolated" in url.query else "same-origin-allow-popups"
            self.send_header("Cross-Origin-Opener-Policy", opener)
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
