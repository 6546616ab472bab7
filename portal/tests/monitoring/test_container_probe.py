"""The health check of a container."""

import socket
from urllib.parse import urlsplit

from portal.monitoring import probe


def test_it_passes_if_the_portal_responds(live_server, settings, monkeypatch):
    settings.ALLOWED_HOSTS = ["portal.example.com"]
    monkeypatch.setenv("PORT", str(urlsplit(live_server.url).port))

    assert probe.main() == 0


def test_it_fails_if_nothing_listens_on_the_port(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setenv("PORT", str(taken.getsockname()[1]))

        assert probe.main() == 1
