"""The settings of the test suite: those of the portal, with everything it writes in a folder that goes away."""

import atexit
import os
import shutil
import tempfile

os.environ["PORTAL_ENV"] = "test"
os.environ["VAR_DIR"] = tempfile.mkdtemp(prefix="portal-tests-")
atexit.register(shutil.rmtree, os.environ["VAR_DIR"], ignore_errors=True)
if os.environ.get("REDIS_URL"):
    # Test processes side by side have a Redis database each, as they have one of PostgreSQL's.
    server, _, number = os.environ["REDIS_URL"].rpartition("/")
    side_by_side = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    os.environ["REDIS_URL"] = f"{server}/{int(number) + side_by_side}"

from portal.settings import *  # noqa: E402, F403  (once the environment is set)
from portal.settings import DATABASES, ENV, VAR_DIR  # noqa: E402

if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A file, as everywhere else: a database in memory has other locks, and threads would see other things.
    DATABASES["default"]["TEST"] = {"NAME": VAR_DIR / "test.sqlite3"}

# Each code costs one hash by design; a test suite asks for hundreds.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
EMBEDDED = not ENV.redis_url
