"""nginx with the configuration of `deploy/`, in front of a running portal."""

from __future__ import annotations

import http.client
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from conftest import NO_AUTHORITIES, ROOT, free_port
from faults.support.running_portal import wait_until

HOST = "account.example.com"
# By its own name, although requests go to an address.
NAMED = {"sni_hostname": HOST}
# No certificate authority signed it.
UNVERIFIED = ssl.create_default_context()
UNVERIFIED.check_hostname = False
UNVERIFIED.verify_mode = ssl.CERT_NONE


@dataclass
class Proxy:
    """A running nginx: its https port, and its logs."""

    port: int
    folder: Path

    @property
    def access_log(self) -> str:
        """What it logged of requests."""
        return (self.folder / "access.log").read_text()

    @property
    def error_log(self) -> str:
        """What it logged of errors."""
        return (self.folder / "error.log").read_text()

    def open_client(self, *, address: str) -> httpx.Client:
        """Return a client that keeps its connections, over TLS from an address of this machine."""
        transport = httpx.HTTPTransport(verify=UNVERIFIED, local_address=address)
        url = f"https://127.0.0.1:{self.port}"
        return httpx.Client(transport=transport, base_url=url, headers={"Host": HOST}, timeout=30)

    def request(self, method: str, path: str, *, address: str = "127.0.0.1", **more: Any) -> httpx.Response:
        """Send a request over a connection of its own."""
        with self.open_client(address=address) as client:
            return client.request(method, path, extensions=NAMED, **more)

    def open_connection(self, *, address: str) -> ssl.SSLSocket:
        """Connect over TLS from an address of this machine, without sending a request."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=30, source_address=(address, 0))
        return UNVERIFIED.wrap_socket(connection, server_hostname=HOST)

    def connect_client(self, *, address: str) -> http.client.HTTPConnection:
        """Return the standard library's client, which costs less time than httpx, connected over TLS."""
        client = http.client.HTTPConnection(HOST)
        client.sock = self.open_connection(address=address)
        return client


def _write_configuration(file: Path, source: str, replaced: Mapping[str, str]) -> Path:
    text = (ROOT / "deploy" / source).read_text()
    for original, substitute in replaced.items():
        assert original in text
        text = text.replace(original, substitute)
    file.write_text(text)
    return file


def make_certificate(folder: Path, name: str) -> None:
    """Write `fullchain.pem` and `privkey.pem` for a host name, signed by itself."""
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    files = ["-keyout", f"{folder}/privkey.pem", "-out", f"{folder}/fullchain.pem"]
    subject = ["-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    subprocess.run([*command, *files, *subject], check=True, capture_output=True)


@contextmanager
def run_nginx(configuration: Path) -> Iterator[None]:
    """Run nginx with a configuration, whose folder has its process id."""
    nginx = shutil.which("nginx")
    assert nginx
    process = subprocess.Popen(
        [nginx, "-c", configuration, "-g", f"daemon off; pid {configuration.parent / 'nginx.pid'};"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=10)


@contextmanager
def run_proxy(
    folder: Path,
    *,
    portal_port: int,
    operators: str = "192.0.2.0/24",
    requests_a_second: int = 1,
    session_rate: str = "20r/s",
) -> Iterator[Proxy]:
    """Run the proxy of `deploy/` on free ports, in front of the portal at a port of this machine.

    After the burst one network may send one request a second by default, so that a slow machine can exceed it.
    A request from 127.0.0.1 can name another address, from which it then seems to come, in a header `X-Address`.
    """
    make_certificate(folder, HOST)
    proxy = Proxy(port=free_port(), folder=folder)
    plain_port = free_port()
    _write_configuration(folder / "upstream.conf", "upstream.host.conf", {"127.0.0.1:8000": f"127.0.0.1:{portal_port}"})
    configuration = _write_configuration(
        folder / "nginx.conf",
        "nginx.conf",
        {
            "/etc/nginx/portal-upstream.conf": str(folder / "upstream.conf"),
            "server_tokens off;": "server_tokens off; set_real_ip_from 127.0.0.1; real_ip_header X-Address;",
            "rate=30r/s": f"rate={requests_a_second}r/s",
            "rate=100r/s": f"rate={requests_a_second}r/s",
            "rate=20r/s": f"rate={session_rate}",
            "allow 192.0.2.0/24;": f"allow {operators};",
            "listen 80 default_server;": f"listen 127.0.0.1:{plain_port} default_server;",
            "listen [::]:80 default_server;": "",
            "listen 443 ssl": f"listen 127.0.0.1:{proxy.port} ssl",
            "listen [::]:443 ssl http2 default_server;": "",
            "listen [::]:443 ssl http2;": "",
            "/etc/nginx/tls": str(folder),
            "/var/log/nginx/access.log": str(folder / "access.log"),
            "/var/log/nginx/error.log": str(folder / "error.log"),
        },
    )
    with run_nginx(configuration):
        wait_until(lambda: _is_listening(plain_port), seconds=10, what="the proxy")
        yield proxy


def _is_listening(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/", verify=NO_AUTHORITIES).status_code == 308
    except httpx.TransportError:
        return False
