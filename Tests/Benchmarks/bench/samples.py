"""samples: parses the output of programs, and computes its statistics, distributions and orders of growth."""

import math
import statistics

MILLISECOND, SECOND = 1e3, 1e6


class Series:
    """All samples of one figure, and the median of each round, which separates noise from change."""

    def __init__(self, unit, values=(), rounds=()):
        self.unit, self.values, self.rounds = unit, list(values), list(rounds)

    def add(self, values):
        self.values += values
        self.rounds.append(statistics.median(values))

    def at(self, which):
        """Returns `min`, `max`, `mean`, or a percentile such as `p50`."""
        if which in ("min", "max"):
            return {"min": min, "max": max}[which](self.values)
        if which == "mean":
            return statistics.fmean(self.values)
        ordered = sorted(self.values)
        return ordered[min(len(ordered) - 1, int(len(ordered) * int(which[1:]) / 100))]

    def summary(self):
        return {
            "unit": self.unit,
            "count": len(self.values),
            **{which: self.at(which) for which in ("min", "p50", "p99")},
            "rounds": self.rounds,
        }


def parse(text):
    """Parses lines `name unit value…` into {name: (unit, values)}.

    Any other line raises, because the program failed."""
    figures = {}
    for line in text.splitlines():
        name, unit, *values = line.split()
        if not values:
            raise ValueError(f"no samples: {line}")
        figures[name] = unit, [float(value) for value in values]
    return figures


def words(value, unit):
    """Formats a value for people: three digits and a suitable unit."""
    if unit == "us" and abs(value) >= SECOND:
        value, unit = value / SECOND, "s"
    elif unit == "us" and abs(value) >= MILLISECOND:
        value, unit = value / MILLISECOND, "ms"
    elif unit == "KB" and abs(value) >= 1024:
        value, unit = value / 1024, "MB"
    if abs(value) >= 1e4:
        number = f"{value:,.0f}"
    else:
        number = f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    return f"{number} {unit.replace('us', 'µs')}" if unit not in ("count", "share") else number


# Orders of growth, the simplest first.
ORDERS = {
    "O(1)": lambda n: 1.0,
    "O(log n)": lambda n: math.log2(n) + 1,
    "O(n)": float,
    "O(n log n)": lambda n: n * (math.log2(n) + 1),
    "O(n²)": lambda n: float(n) * n,
}


def order(points):
    """Returns the name of the simplest order that fits {n: value}, and the slope of its logarithms.

    Each order is fitted as a fixed part and a growing part, neither below zero, by the least squares of the relative
    errors. A simpler order wins unless another one halves its error, so that noise does not turn a line into a curve.
    """
    slope = statistics.linear_regression(
        [math.log(n) for n in points], [math.log(value) for value in points.values()]
    ).slope
    found, least = None, math.inf
    for name, grows in ORDERS.items():
        error = fit(points, grows)
        if error < least / 2 and (found is None or least > 0.05):
            found, least = name, error
    return found, slope


def fit(points, grows):
    """Returns the root mean squared relative error of a + b·grows(n)."""
    # The fit is least squares with weights 1/value²: each row is (1, g)/value against 1.
    rows = [(1 / value, grows(n) / value) for n, value in points.items()]
    aa, ab, bb = (
        sum(x * y for x, y in pairs)
        for pairs in (((a, a) for a, _ in rows), ((a, b) for a, b in rows), ((b, b) for _, b in rows))
    )
    ay, by = sum(a for a, _ in rows), sum(b for _, b in rows)
    determinant = aa * bb - ab * ab
    candidates = [(ay / aa, 0.0), (0.0, by / bb)]
    if abs(determinant) > 1e-12 * aa * bb:
        candidates.append(((ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant))
    return min(
        math.sqrt(statistics.fmean((a * first + b * second - 1) ** 2 for first, second in rows))
        for a, b in candidates
        if a >= 0 and b >= 0
    )


def histogram(series, bins=12, width=40):
    """Formats a distribution on a logarithmic scale, from the minimum to the 99th percentile."""
    least, most = series.at("min"), series.at("p99")
    if least <= 0 or most <= least:
        return []
    step = (most / least) ** (1 / bins)
    counts = [0] * (bins + 1)
    for value in series.values:
        counts[min(bins, int(math.log(value / least) / math.log(step) + 1e-9))] += 1
    return [
        f"{words(least * step**number, series.unit):>10} {'▇' * math.ceil(width * count / max(counts)):{width}} {count}"
        for number, count in enumerate(counts)
    ]
