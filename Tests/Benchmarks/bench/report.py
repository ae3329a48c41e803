"""report: formats a result: the table, the curves with their order, the distributions, and the changes since an older
one.
"""

from samples import histogram, order, words
from table import changes, table


def curves(plan, series):
    """Formats each curve of three points or more: its points, its order, and the slope of its logarithms."""
    found = []
    for curve in plan:
        base = series[curve.minus].at("min") if curve.minus in series else 0
        # A difference uses the best samples: the noise would exceed the remainder.
        points = {
            count: series[name].at("min" if curve.minus else "p50") - base
            for count, name in curve.series.items()
            if name in series
        }
        if len(points) < 3:
            continue
        if min(points.values()) <= 0:
            found.append(
                {"what": curve.what, "order": "lost in the noise of what is taken off", "slope": None, "points": {}}
            )
            continue
        name, slope = order(points)
        unit = series[next(iter(curve.series.values()))].unit
        found.append({"what": curve.what, "unit": unit, "points": points, "order": name, "slope": round(slope, 2)})
    return found


def text(results, series):
    machine = results["machine"]
    parts = [
        f"{results['date']}, commit {results['commit']}, {machine['cpus']} cpus ({machine['processor']}), "
        f"{machine['memory']}, Linux {machine['kernel']}, {machine['swift']}, "
        f"load {machine['load'][0]}, {results['seconds']} s",
        "",
        table(results["rows"]),
        "",
    ]
    missed = [row["what"] for row in results["rows"] if row["met"] is False]
    parts.append(
        f"{len(missed)} of {sum(1 for row in results['rows'] if row['target'])} targets missed"
        + ("." if not missed else ": " + "; ".join(missed) + ".")
    )
    if results["curves"]:
        parts += ["", "| what grows | order | slope | points |", "| --- | --- | --- | --- |"]
        parts += [
            f"| {curve['what']} | {curve['order']} | {'–' if curve['slope'] is None else curve['slope']} | "
            + ", ".join(f"{count:,}: {words(value, curve['unit'])}" for count, value in curve["points"].items())
            + " |"
            for curve in results["curves"]
        ]
    parts += ["", "Distributions, from the least to the last but a hundredth:"]
    for row in results["rows"]:
        ours = series.get(row["series"])
        if ours and len(ours.values) >= 50:
            parts += ["", row["what"], *histogram(ours)]
    return "\n".join(parts)


def against(before, results):
    """Returns a line for each series that changed beyond noise, regressions first."""
    lines = [
        f"{kind}: {name} {words(old, unit)} → {words(new, unit)} ({ratio:.2f} ×)"
        for kind, name, old, new, unit, ratio in changes(before["series"], results["series"])
    ]
    if before["machine"] | {"load": 0} != results["machine"] | {"load": 0}:
        lines.insert(0, "the earlier result is of another machine")
    if before["quick"] != results["quick"]:
        lines.insert(0, "one of the two is quick")
    return "\n".join(
        [f"against {before['date']}, commit {before['commit']}:", *(lines or ["nothing changed beyond noise"])]
    )
