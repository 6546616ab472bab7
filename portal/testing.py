"""The settings of the test suite: those of the portal, with everything it writes in a folder that goes away."""

import atexit
import os
import shutil
import tempfile

os.environ["PORTAL_ENV"] = "test"
if "PYTEST_VAR_DIR" not in os.environ:
    os.environ["VAR_DIR"] = tempfile.mkdtemp(prefix="portal-tests-")
    atexit.register(shutil.rmtree, os.environ["VAR_DIR"], ignore_errors=True)

from portal.settings import *  # noqa: E402, F403  (after the environment is set)
