"""driver: runs the project's programs, the limits and the peers in turn, and reports the comparison."""

import argparse
import datetime
import json
import os
import pathlib
import platform
import resource
import shutil
import subprocess
import sys
import time

import payloads
import report
from build import FOLDER, ROOT, NotHere, Programs
from rows import Plan
from samples import Series, parse

RESULTS = FOLDER / "results"
INSTALL = "sed 's/[[:space:]]*#.*//' Scripts/bench-packages | xargs apt-get install --no-install-recommends"


# The hosts of one process get half of the daemon's descriptors, and 16 of them are counted for each extension.
OPEN_FILES = 40_000


def main():
    options = arguments()
    say = (
        (lambda text: print(text, file=sys.stderr, flush=True))
        if options.json
        else (lambda text: print(text, flush=True))
    )
    programs = Programs(say, options.quick)
    if not options.no_build and not options.list:
        programs.build()
    (FOLDER / "programs").mkdir(parents=True, exist_ok=True)
    plan = Plan(programs, payloads.write(FOLDER / "programs"), options.quick)
    rows, groups = select(plan, options.rows)
    if options.list:
        return print("\n".join(f"{row.name:22} {row.what}" for row in plan.rows))
    lacking = sorted({lack for group in groups for run in group.runs for lack in lacks(programs, run)})
    if lacking:
        say(f"# missing: {', '.join(lacking)}. Their rows stay empty. To install all peers: {INSTALL}")
    lack = raise_open_files()
    if lack:
        say(f"# {lack}")
    began = time.time()
    if options.realtime:
        # This is chrt -r 10. All processes that start from here on inherit it.
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(10))
    series, missing = measure(programs, groups, say)
    results = document(series, rows, plan, missing, options, began)
    RESULTS.mkdir(parents=True, exist_ok=True)
    place = RESULTS / f"{results['date'].replace(':', '')}-{results['commit']}.json"
    place.write_text(json.dumps(results, indent=1) + "\n")
    if options.json:
        print(json.dumps(results))
    else:
        print(report.text(results, series))
        print(f"kept as {place.relative_to(ROOT)}")
    if options.against:
        say(report.against(json.loads(pathlib.Path(options.against).read_text()), results))
    return 1 if options.check and any(row["met"] is False for row in results["rows"]) else 0


def raise_open_files():
    """Raises the limit of open files for a thousand extensions. Returns what is missing for that, if anything."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for most in max(hard, OPEN_FILES), hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
            break
        except (ValueError, OSError):
            # Only a process with CAP_SYS_RESOURCE may raise the hard limit.
            continue
    if hard >= OPEN_FILES or resource.getrlimit(resource.RLIMIT_NOFILE)[1] >= OPEN_FILES:
        return None
    return f"the limit of open files is {hard}: the rows with 1,000 extensions need {OPEN_FILES} (ulimit -n)"


def arguments():
    parser = argparse.ArgumentParser(
        prog="Scripts/bench",
        description="Ours, the limits and the peers, in turn, and the table of targets.",
        epilog="docs/performance.md says what the rows are and how to read them.",
    )
    parser.add_argument("rows", metavar="ROW", nargs="*", help="only these rows, or groups of them (cold, warm, …)")
    parser.add_argument("--quick", action="store_true", help="fewer samples: under three minutes, building apart")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    parser.add_argument("--against", metavar="FILE", help="an earlier result: say what got worse beyond noise")
    parser.add_argument("--check", action="store_true", help="exit status 1 where a target is missed")
    parser.add_argument(
        "--realtime",
        action="store_true",
        help="all at real-time priority, as chrt -r 10: for a machine that has other work",
    )
    parser.add_argument("--no-build", action="store_true", help="with what was built last")
    parser.add_argument("--list", action="store_true", help="name the rows and end")
    return parser.parse_args()


def select(plan, names):
    """Returns the selected rows and the groups that they need."""
    if not names:
        return [row for row in plan.rows if row.name not in ("demo", "import")], [
            group for group in plan.groups if not group.only_named
        ]
    named = {group.name: [run.prefix for run in group.runs] for group in plan.groups if group.name in names}

    def needs(row):
        return [*filter(None, (row.ours, row.minus, *row.parts(), *row.peers.values()))]

    rows = [
        row
        for row in plan.rows
        if any(row.name == name or row.name.startswith(name + ".") for name in names)
        or any(row.ours.startswith(prefix + ".") for prefixes in named.values() for prefix in prefixes)
    ]
    if not rows:
        raise SystemExit(f"bench: no row {' '.join(names)}; --list names them")
    wanted = [name for row in rows for name in needs(row)]
    return rows, [
        group
        for group in plan.groups
        if any(name.startswith(run.prefix + ".") for run in group.runs for name in wanted)
    ]


def measure(programs, groups, say):
    """Runs all groups in turn. Stores the reason in `missing` if one cannot run."""
    series, missing = {}, {}
    for group in groups:
        say(f"# {group.name}, load {os.getloadavg()[0]:.1f}")
        began = time.time()
        try:
            with group.inside() as environment:
                for _ in range(group.rounds[0 if programs.quick else 1]):
                    for run in group.runs:
                        if run.prefix not in missing:
                            once(programs, run, environment, series, missing)
        except NotHere as lack:
            missing |= {run.prefix: str(lack) for run in group.runs}
        except KeyboardInterrupt:
            say("# interrupted: what there is")
            break
        for run in group.runs:
            for name, one in sorted(series.items()):
                if told(name, run, group):
                    summary = one.summary()
                    say("\n".join(f"{name}.{which} {summary[which]:.3f} {one.unit}" for which in ("min", "p50", "p99")))
        say(f"# {group.name} took {time.time() - began:.1f} s")
    return series, Reasons(missing)


def lacks(programs, run):
    """Returns what a run needs and this machine does not have."""
    missing = [need for need in run.needs if not shutil.which(need)]
    if isinstance(run.program, str) and run.program != "unshare":
        try:
            programs.path(run.program)
        except NotHere as lack:
            missing.append(str(lack))
    return missing


def told(name, run, group):
    """Whether a series is from this run. The longest matching prefix decides."""
    fitting = [other.prefix for other in group.runs if name.startswith(other.prefix + ".")]
    return bool(fitting) and max(fitting, key=len) == run.prefix


class Reasons(dict):
    """The reasons by series, also by the prefix of a series' name."""

    def get(self, name, default=None):
        return next(
            (reason for prefix, reason in self.items() if name == prefix or name.startswith(prefix + ".")), default
        )


def once(programs, run, environment, series, missing):
    try:
        for lack in lacks(programs, run):
            raise NotHere(lack)
        figures = run.program() if callable(run.program) else parse(execute(programs, run, environment))
    except NotHere as lack:
        missing[run.prefix] = str(lack)
        return
    except (subprocess.SubprocessError, ValueError, OSError) as failure:
        missing[run.prefix] = "failed: " + " ".join(str(failure).split())[-200:]
        print(f"bench: {run.prefix}: {failure}", file=sys.stderr)
        return
    for name, (unit, values) in figures.items():
        series.setdefault(f"{run.prefix}.{name}", Series(unit)).add(values)


def execute(programs, run, environment):
    words = [programs.path(run.program)] if run.program != "unshare" else ["unshare"]
    words += [str(word() if callable(word) else word) for word in run.arguments]
    if run.cpu is not None:
        words = ["taskset", "-c", str(run.cpu), *words]
    variables = (
        (environment or os.environ)
        | {"SWIFT_BACKTRACE": "enable=no", "EXTHOSTD": programs.path("exthostd")}
        | run.environment
    )
    result = subprocess.run(
        words, env=variables, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=run.bound
    )
    if result.returncode:
        raise subprocess.SubprocessError(f"exit status {result.returncode}: {result.stderr[-1000:]}")
    return result.stdout


def document(series, rows, plan, missing, options, began):
    date = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "date": date,
        "commit": commit(),
        "machine": machine(),
        "quick": options.quick,
        "realtime": options.realtime,
        "seconds": round(time.time() - began),
        "rows": [row.judge(series, missing) for row in rows],
        "curves": report.curves(plan.curves, series),
        "series": {name: one.summary() for name, one in sorted(series.items())},
    }


def commit():
    found = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def machine():
    """Returns the properties of the machine that affect figures. None of them identifies the machine."""
    processor = next(
        (
            line.split(":")[1].strip()
            for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        "?",
    )
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout.splitlines()
    return {
        "processor": processor,
        "cpus": os.cpu_count(),
        "memory": f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') >> 30} GiB",
        "kernel": platform.release(),
        "swift": swift[0] if swift else "?",
        "load": [round(one, 1) for one in os.getloadavg()],
    }
