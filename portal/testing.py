"""The settings of the test suite: the portal's settings, with all files in a temporary folder."""

import atexit
import os
import shutil
import tempfile

os.environ["PORTAL_ENV"] = "test"
os.environ["VAR_DIR"] = tempfile.mkdtemp(prefix="portal-tests-")
atexit.register(shutil.rmtree, os.environ["VAR_DIR"], ignore_errors=True)
# Set already in a parallel test process, which would count with the others.
os.environ["PROMETHEUS_MULTIPROC_DIR"] = f"{os.environ['VAR_DIR']}/metrics"
if os.environ.get("REDIS_URL"):
    # Each parallel test process uses its own Redis database, as it does in PostgreSQL.
    server, _, number = os.environ["REDIS_URL"].rpartition("/")
    process_number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    os.environ["REDIS_URL"] = f"{server}/{int(number) + process_number}"

from portal.settings import *  # noqa: E402, F403  (once the environment is set)
from portal.settings import DATABASES, ENV, VAR_DIR  # noqa: E402

if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A file, because an in-memory database has different locks and isolation between threads.
    DATABASES["default"]["TEST"] = {"NAME": VAR_DIR / "test.sqlite3"}
    # Each test ends with the connection, and its end would wait for the disk: nothing here outlives a power cut.
    DATABASES["default"]["OPTIONS"]["init_command"] += " PRAGMA synchronous=OFF;"

# Hashing is slow by design, and the tests create hundreds of users and sign-in codes.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CODE_HASH_WORK_FACTOR = 2
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
EMBEDDED = not ENV.redis_url
