"""Every message has somebody who takes it."""

import pytest

from dev.run import portal_processes
from portal.celery import app


@pytest.fixture(scope="module")
def ours():
    """The names of all tasks of the applications."""
    app.loader.import_default_modules()
    return {name for name in app.tasks if name.startswith(("accounts.", "billing.", "operators."))}


def consumed_queues():
    workers = [command for command in portal_processes().values() if "worker" in command]
    return {command[command.index("-Q") + 1] for command in workers}


def queue_for_task(task):
    return app.amqp.router.route({}, task)["queue"].name


def test_every_beat_starts_a_task_that_exists(ours):
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= ours


def test_every_task_goes_to_a_queue_that_a_process_of_the_demo_takes(ours):
    assert {queue_for_task(task) for task in ours} == consumed_queues()


@pytest.mark.parametrize("long", ["run_job", "process_due_webhooks"])
def test_a_sign_in_code_does_not_wait_behind_what_asks_the_provider_for_long(long):
    assert queue_for_task("accounts.tasks.send_mail") != queue_for_task(f"billing.tasks.{long}")


@pytest.mark.shows("reliability-16")
def test_a_message_is_done_when_its_work_is(settings):
    assert app.conf.task_acks_late
    assert app.conf.task_reject_on_worker_lost
    assert app.conf.worker_prefetch_multiplier == 1
    assert app.conf.task_ignore_result
