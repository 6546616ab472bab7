"""A client that answers as a server would, on URLs that include failing endpoints."""

import json
from collections.abc import Callable
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
def stats_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point the webpack loader at a file of this test's own; there is none until it is written."""
    file = tmp_path / "webpack-stats.json"
    monkeypatch.setitem(get_loader("DEFAULT").config, "STATS_FILE", file)
    monkeypatch.setitem(get_loader("DEFAULT").config, "CACHE", False)
    return file


@pytest.fixture
def bundle(stats_file: Path) -> Path:
    name = "main.0123456789abcdef0123.js"
    stats = {
        "status": "done",
        "publicPath": "/static/app/",
        "chunks": {"main": [name]},
        "assets": {name: {"name": name, "publicPath": f"/static/app/{name}"}},
    }
    stats_file.write_text(json.dumps(stats))
    return stats_file


@pytest.fixture
def post_json(visitor: Client) -> Callable[..., object]:
    return lambda path, body: visitor.post(path, body, content_type="application/json")
