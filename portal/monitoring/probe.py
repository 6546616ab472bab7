"""The container's health check: requests `/healthz` of the local web server."""

import http.client
import os
import sys

TIMEOUT_SECONDS = 2


def main() -> int:
    """Return the exit code, 0 if `/healthz` returns 200."""
    connection = http.client.HTTPConnection("127.0.0.1", int(os.environ.get("PORT") or "8000"), timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/healthz")
        return 0 if connection.getresponse().status == http.client.OK else 1
    except OSError:
        return 1
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(main())
