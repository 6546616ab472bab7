"""Concurrent sign-ins, on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.db import IntegrityError, connection
from django.test import Client

from operators.tests.conftest import Operator

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

AT_ONCE = 10


def run_concurrently(work: Callable[[Operator], Any], operator: Operator) -> list[Any]:
    """Call a function with ten browsers of one operator at once, each on its own connection; return the results."""

    def work_in_browser(_: int) -> Any:
        try:
            return work(Operator(operator.user, Client()))
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(work_in_browser, range(AT_ONCE)))


@pytest.mark.shows("security-39")
def test_every_wrong_password_counts(olga: Operator) -> None:
    olga.enroll_app()
    answers = run_concurrently(lambda browser: browser.sign_in("wrong"), olga)
    assert sum(answer.status_code == 200 for answer in answers) <= 4
    assert olga.sign_in().status_code == 429


@pytest.mark.parametrize("kind", ["of the app", "recovery"])
def test_a_code_signs_in_only_one_browser(olga: Operator, kind: str) -> None:
    recovery = olga.enroll_app()[0]
    code = {"of the app": olga.code, "recovery": recovery}[kind]
    statuses = run_concurrently(lambda browser: browser.sign_in(code=code).status_code, olga)
    assert statuses.count(302) == 1


class FasterAttempts:
    """An execute wrapper that inserts the row of an attempt just before a query does, and deletes it just after."""

    def __init__(self, operator: Operator, times: int) -> None:
        self.operator = operator
        self.left = times

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not self.left or not sql.startswith('INSERT INTO "axes_accessattempt"'):
            return execute(sql, params, many, context)
        self.left -= 1
        self._run_elsewhere(lambda: Operator(self.operator.user, Client()).sign_in("wrong"))
        try:
            return execute(sql, params, many, context)
        except IntegrityError:
            self._run_elsewhere(AccessAttempt.objects.all().delete)
            raise

    def _run_elsewhere(self, work: Callable[[], Any]) -> None:
        def work_on_connection() -> None:
            try:
                work()
            finally:
                connection.close()

        with ThreadPoolExecutor(1) as pool:
            pool.submit(work_on_connection).result()


@pytest.mark.shows("security-39")
@pytest.mark.parametrize("times", [1, 2])
def test_a_failure_counts_while_other_browsers_sign_in(olga: Operator, times: int) -> None:
    others = FasterAttempts(olga, times)
    with connection.execute_wrapper(others):
        assert olga.sign_in("wrong").status_code == 200
    assert others.left == 0
    assert AccessAttempt.objects.get().failures_since_start == 1
