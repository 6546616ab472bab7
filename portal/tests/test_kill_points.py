"""Nobody but a test can have a process die at a kill point."""

import os
import signal
import subprocess
import sys

import pytest

from conftest import ROOT
from dev.checks import production_environment
from portal.kill_points import POINTS

GO_BY_ALL = (
    "import django; django.setup(); from portal import kill_points as k; [k.reached(p) for p in k.POINTS]"
)


@pytest.mark.parametrize(
    ("settings", "ends", "is_left"),
    [("portal.settings", 0, True), ("portal.tests.killed", -signal.SIGKILL, False)],
)
def test_production_passes_every_point_and_the_tests_settings_die_at_the_one_named(
    tmp_path, settings, ends, is_left
):
    point = tmp_path / "point"
    point.write_text(POINTS[-1])
    named = {"DJANGO_SETTINGS_MODULE": settings, "KILL_POINT_FILE": str(point)}

    ended = subprocess.run(
        [sys.executable, "-c", GO_BY_ALL],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **production_environment(tmp_path), **named},
        check=False,
    )

    assert (ended.returncode, point.exists()) == (ends, is_left)
