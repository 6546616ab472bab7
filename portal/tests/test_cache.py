"""A cache that is down is a cache that holds nothing."""

import pytest

from conftest import free_port
from portal.cache import ForgivingRedisCache


@pytest.fixture
def stopped():
    return ForgivingRedisCache(
        f"redis://127.0.0.1:{free_port()}/0", {"OPTIONS": {"socket_connect_timeout": 0.2}}
    )


@pytest.fixture
def running(settings):
    cache = ForgivingRedisCache(settings.CACHES["default"]["LOCATION"], {"KEY_PREFIX": "portal-tests"})
    cache.clear()
    yield cache
    cache.clear()


def test_it_finds_nothing_when_redis_is_down(stopped):
    assert stopped.get("a") is None
    assert stopped.get("a", "otherwise") == "otherwise"
    assert stopped.get_many(["a", "b"]) == {}
    assert stopped.has_key("a") is False
    assert stopped.get_or_set("a", 1) == 1


def test_it_stores_nothing_and_says_so_when_redis_is_down(stopped):
    stopped.set("a", 1)
    assert stopped.add("a", 1) is False
    assert stopped.touch("a") is False
    assert stopped.set_many({"a": 1}) == ["a"]
    assert stopped.delete("a") is False
    stopped.delete_many(["a"])
    stopped.clear()


def test_it_has_no_counter_when_redis_is_down(stopped):
    with pytest.raises(ValueError, match="not found"):
        stopped.incr("a")


def test_it_tells_the_log_without_the_address(stopped, caplog):
    stopped.get("a")
    assert "The cache does not answer (ConnectionError)." in caplog.messages
    assert "127.0.0.1" not in caplog.text


@pytest.mark.services
def test_it_keeps_what_it_is_given_when_redis_answers(running):
    running.set("a", {"cents": 699}, timeout=60)
    assert running.get("a") == {"cents": 699}
    assert running.add("a", 1) is False
    assert running.get_many(["a", "b"]) == {"a": {"cents": 699}}
    assert running.delete("a") is True
    running.set("count", 1)
    assert running.incr("count", 2) == 3
