"""Every task goes to a queue that a worker consumes."""

import pytest

from dev.run import portal_processes
from portal.celery import app


@pytest.fixture(scope="module")
def task_names():
    """Return the names of all tasks of the applications."""
    app.loader.import_default_modules()
    return {name for name in app.tasks if name.startswith(("accounts.", "billing.", "operators."))}


def consumed_queues():
    workers = [command for command in portal_processes().values() if "worker" in command]
    return {command[command.index("-Q") + 1] for command in workers}


def queue_for_task(task):
    return app.amqp.router.route({}, task)["queue"].name


def test_every_beat_entry_names_an_existing_task(task_names):
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= task_names


def test_every_queue_has_a_worker_in_the_demo(task_names):
    assert {queue_for_task(task) for task in task_names} == consumed_queues()


@pytest.mark.parametrize("long_task", ["run_job", "process_due_webhooks"])
def test_sign_in_codes_do_not_queue_behind_long_tasks(long_task):
    assert queue_for_task("accounts.tasks.send_mail") != queue_for_task(f"billing.tasks.{long_task}")


@pytest.mark.shows("reliability-16")
def test_a_message_is_acknowledged_after_its_task_has_run(settings):
    assert app.conf.task_acks_late
    assert app.conf.task_reject_on_worker_lost
    assert app.conf.worker_prefetch_multiplier == 1
    assert app.conf.task_ignore_result
