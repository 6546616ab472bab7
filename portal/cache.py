"""Redis as a cache that may be down: a failure is a miss, and the site stays up."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

T = TypeVar("T")


def _or(operation: Callable[[], T], *, otherwise: T) -> T:
    try:
        return operation()
    except RedisError as error:
        # The class only: the message may hold the address and with it a password.
        logger.warning("The cache does not answer (%s).", type(error).__name__)
        return otherwise


class ForgivingRedisCache(RedisCache):
    """Django's Redis cache, answering as if it held nothing while Redis cannot be reached.

    Nothing that must hold (sign-in limits, idempotency) is kept in a cache, so a miss costs only time.
    """

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """Return the value, or `default` when there is none or no cache."""
        return _or(lambda: super(ForgivingRedisCache, self).get(key, default, version), otherwise=default)

    def get_many(self, keys: Iterable[Any], version: int | None = None) -> dict[Any, Any]:
        """Return the values that are there; none when the cache is down."""
        return _or(lambda: super(ForgivingRedisCache, self).get_many(keys, version), otherwise={})

    def has_key(self, key: Any, version: int | None = None) -> bool:
        """Whether the key is there; False when the cache is down."""
        return _or(lambda: super(ForgivingRedisCache, self).has_key(key, version), otherwise=False)

    def add(
        self, key: Any, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> bool:
        """Store a value that is not there yet; False, as for one that is, when the cache is down."""
        return _or(
            lambda: super(ForgivingRedisCache, self).add(key, value, timeout, version), otherwise=False
        )

    def set(
        self, key: Any, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> None:
        """Store a value, or nothing."""
        _or(lambda: super(ForgivingRedisCache, self).set(key, value, timeout, version), otherwise=None)

    def set_many(
        self, data: Mapping[Any, Any], timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> list[Any]:
        """Store several values; the answer lists those that were not stored."""
        return _or(
            lambda: super(ForgivingRedisCache, self).set_many(dict(data), timeout, version),
            otherwise=list(data),
        )

    def touch(self, key: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Give a value a new lifetime; False when there is none or no cache."""
        return _or(lambda: super(ForgivingRedisCache, self).touch(key, timeout, version), otherwise=False)

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """Add to a counter. Raises `ValueError` when there is none, which a cache that is down counts as."""
        try:
            return super().incr(key, delta, version)
        except RedisError as error:
            raise ValueError(f"Key '{key}' not found") from error

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Remove a value; False when there was none or no cache."""
        return _or(lambda: super(ForgivingRedisCache, self).delete(key, version), otherwise=False)

    def delete_many(self, keys: Iterable[Any], version: int | None = None) -> None:
        """Remove several values, or none."""
        _or(lambda: super(ForgivingRedisCache, self).delete_many(keys, version), otherwise=None)

    def clear(self) -> None:
        """Empty the cache, or do nothing."""
        _or(lambda: super(ForgivingRedisCache, self).clear(), otherwise=None)
