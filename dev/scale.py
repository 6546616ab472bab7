"""`make scale N=100000`: how each cost grows with the number of accounts, as ratios to a site of a thousand.

The databases are made on the PostgreSQL of `TEST_DATABASE_URL` and dropped. It fails nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from dev.console import CannotContinue, print_line
from dev.paths import PYTHON, ROOT, child_environment, var_dir
from dev.setup import prepare

SMALL = 1_000
RESULT = "scale.json"

Costs = dict[str, tuple[float, float]]


def measure_costs(accounts: int) -> Costs:
    """Load a site of so many accounts and measure it. Raises `CannotContinue`."""
    command = [str(PYTHON), "-m", "dev.benches.scale", str(accounts)]
    result = subprocess.run(command, cwd=ROOT, env=child_environment(), stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode:
        raise CannotContinue("The costs could not be measured.")
    costs: Costs = json.loads(result.stdout)
    return costs


def cost_table(small: Costs, large: Costs, accounts: int) -> str:
    """Return the milliseconds and the ratios as a table."""
    lines = [f"  {'milliseconds (slowest statement)':<44}{SMALL:>18,}{accounts:>18,}{'ratio':>8}"]
    for name, (took, slowest) in large.items():
        before, slowest_before = small[name]
        figures = (f"{before:.1f} ({slowest_before:.1f})", f"{took:.1f} ({slowest:.1f})", f"{took / before:.1f}")
        lines.append(f"  {name:<44}{figures[0]:>18}{figures[1]:>18}{figures[2]:>8}")
    return "\n".join(lines)


def main() -> int:
    """Measure both sizes and print the table; return the exit code."""
    try:
        accounts = int(os.environ.get("N") or 100_000)
        prepare.prepare_to_test()
        print_line(f"  Loading {SMALL:,} and {accounts:,} accounts …")
        small, large = measure_costs(SMALL), measure_costs(accounts)
    except (CannotContinue, ValueError) as error:
        print_line(str(error))
        return 1
    print_line(cost_table(small, large, accounts))
    (var_dir() / RESULT).write_text(json.dumps({str(SMALL): small, str(accounts): large}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
