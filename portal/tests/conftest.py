"""Fixtures: a client that returns error responses, a bundle that need not be built, a provider that is never called."""

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings
from webpack_loader.utils import get_loader


@pytest.fixture
def failing_urls(settings: Settings) -> None:
    settings.ROOT_URLCONF = "portal.tests.urls"


@pytest.fixture
def visitor(failing_urls: None) -> Client:
    return Client(raise_request_exception=False)


@pytest.fixture
def stats_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, db: None) -> Path:
    """Point the webpack loader at a stats file of this test, which does not exist until the test writes it."""
    file = tmp_path / "webpack-stats.json"
    monkeypatch.setitem(get_loader("DEFAULT").config, "STATS_FILE", file)
    monkeypatch.setitem(get_loader("DEFAULT").config, "CACHE", False)
    return file


@pytest.fixture
def bundle(stats_file: Path) -> Path:
    start, react, main = (f"{entry}.0123456789abcdef0123.js" for entry in ("start", "react", "main"))
    screens = {
        "frame": ["1.0123456789abcdef.css", "1.0123456789abcdef.js"],
        "/": ["2.0123456789abcdef.js"],
        "/cancelAll": ["3.0123456789abcdef.css", "3.0123456789abcdef.js"],
    }
    names = [start, react, main, *(file for files in screens.values() for file in files)]
    stats = {
        "status": "done",
        "publicPath": "/static/app/",
        "chunks": {"start": [start], "react": [react], "main": [main]},
        "screens": screens,
        "assets": {name: {"name": name, "publicPath": f"/static/app/{name}"} for name in names},
    }
    stats_file.write_text(json.dumps(stats))
    return stats_file


@pytest.fixture
def post_json(visitor: Client) -> Callable[..., object]:
    return lambda path, body: visitor.post(path, body, content_type="application/json")


@pytest.fixture
def listener(settings: Settings) -> Iterator[None]:
    """Listen at the provider's address, and fail the test if the portal connects to it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        settings.CHARGEBEE_ENDPOINT = f"http://127.0.0.1:{server.getsockname()[1]}/api/v2"
        yield
        with pytest.raises(BlockingIOError):
            server.accept()
