"""Sending a task's message when the transaction around it is committed."""

from __future__ import annotations

from functools import partial
from typing import Any

from celery.app.task import Task
from django.db import transaction


def enqueue(task: Task[Any, Any], *args: Any) -> None:
    """Publish the task's message on commit.

    A broker that is down fails nothing: the message is a hint, the row it names is the work, and the sweep
    finds it.
    """
    transaction.on_commit(partial(task.apply_async, args=args, retry=False), robust=True)
