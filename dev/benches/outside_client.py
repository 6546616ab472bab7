"""The three hot reads, whole and unchanged, by a client of its own, wrk, on two web processes, against a bare view."""

from __future__ import annotations

import re
import shutil
import subprocess
import urllib.request
from functools import partial

from dev.benches.hot_reads import READS
from dev.benches.support.measurements import Comparison, NotMeasured, measure_interleaved, print_figures
from dev.benches.support.portal_server import create_signed_in_account, run_server
from dev.benches.support.scratch_portal import scratch_portal

NAME = "hot reads by an outside client"
THREADS, CONNECTIONS, SECONDS = 2, 16, 3
RATE = re.compile(r"Requests/sec:\s+([\d.]+)")


def _read_etag(port: int, path: str, token: str) -> str:
    read = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(read) as response:
        etag: str = response.headers["ETag"]
    return etag


def _requests_per_second(port: int, path: str, token: str, etag: str = "") -> float:
    """Have wrk request a path, of which it has the version with a tag. Raises RuntimeError if it is refused."""
    headers = ["-H", f"Authorization: Bearer {token}", *(["-H", f"If-None-Match: {etag}"] if etag else [])]
    command = ["wrk", f"-t{THREADS}", f"-c{CONNECTIONS}", f"-d{SECONDS}s", *headers]
    result = subprocess.run(
        [*command, f"http://127.0.0.1:{port}{path}"], capture_output=True, text=True, check=True
    ).stdout
    rate = RATE.search(result)
    if rate is None or "Non-2xx" in result or "Socket errors" in result:
        raise RuntimeError(f"{path}: {result}")
    return float(rate[1])


def main() -> None:
    """Measure and print."""
    if shutil.which("wrk") is None:
        print_figures([NotMeasured(NAME, "no wrk on this machine")])
        return
    with scratch_portal("dev.benches.support.settings") as database:
        from dev.benches.support.urls import BARE

        token = create_signed_in_account()
        with run_server(WEB_PROCESSES="2", LOG_FORMAT="json") as port:
            sides = {path: partial(_requests_per_second, port, path, token) for path in (BARE, *READS)}
            for path in READS:
                etag = _read_etag(port, path, token)
                sides[f"{path}, 304"] = partial(_requests_per_second, port, path, token, etag)
            seen = measure_interleaved(sides)
    unit = f"requests/s ({database}, wrk)"
    goals = {**dict.fromkeys(READS, "≥ 0.45"), **{f"{path}, 304": "≥ 0.70" for path in READS}}
    print_figures(
        [Comparison(row, "a bare DRF view", unit, seen[row], seen[BARE], goal) for row, goal in goals.items()]
    )


if __name__ == "__main__":
    main()
