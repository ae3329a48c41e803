"""table: the rows of the table: a figure of the project, its comparisons and its bounds."""

import dataclasses

from samples import words

MORE_IS_BETTER = "1/s", "share"


@dataclasses.dataclass(frozen=True)
class Bound:
    """A bound: a multiple of another series, or a plain number. `of` is the row's name for the series: `limit` or a
    peer's.
    """

    factor: float
    of: str | None = None
    least: bool = False
    statistic: str | None = None
    unit: str = ""

    def text(self):
        sign = "≥" if self.least else "≤"
        if self.of is None:
            return f"{self.statistic + ' ' if self.statistic else ''}{sign} {words(self.factor, self.unit)}"
        return f"{sign} {self.factor:g} × {self.of}" if self.factor != 1 else f"{sign} {self.of}"

    def holds(self, ours, other):
        return ours >= self.factor * other if self.least else ours <= self.factor * other


def at_most(factor, of=None, **more):
    return Bound(factor, of, **more)


def at_least(factor, of=None, **more):
    return Bound(factor, of, least=True, **more)


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of the table. `limit` may be the sum of several series. `minus` is subtracted from our figure (an idle
    daemon).
    """

    name: str
    what: str
    ours: str
    limit: str | tuple = ()
    peers: dict = dataclasses.field(default_factory=dict)
    bounds: tuple = ()
    statistic: str = "p50"
    minus: str | None = None

    def parts(self):
        return (self.limit,) if isinstance(self.limit, str) else self.limit

    def ours_at(self, series, statistic):
        value = series[self.ours].at(statistic)
        return value - series[self.minus].at(statistic) if self.minus else value

    def judge(self, series, missing):
        """Returns the row's figures for JSON, or the reason of missing ones."""

        def of(name, statistic):
            return series[name].at(statistic) if name in series else None

        def why(name):
            return missing.get(name, "not measured")

        result = {
            "name": self.name,
            "what": self.what,
            "series": self.ours,
            "statistic": self.statistic,
            "target": "; ".join(bound.text() for bound in self.bounds),
        }
        if self.ours not in series or (self.minus and self.minus not in series):
            return result | {
                "ours": None,
                "ours_missing": why(self.ours),
                "limit": None,
                "peers": {},
                "ratio": None,
                "met": None,
                **self.others(series, why),
            }
        ours = self.ours_at(series, self.statistic)
        if self.minus and ours <= 0:
            return result | {
                "ours": None,
                "ours_missing": "lost in the noise of what is taken off",
                "ratio": None,
                "met": None,
                **self.others(series, why),
            }
        unit = series[self.ours].unit
        result |= {
            "ours": ours,
            "unit": unit,
            "best": self.ours_at(series, "max" if unit in MORE_IS_BETTER else "min"),
            **self.others(series, why),
        }
        limit = result["limit"]
        # The ratio is to the limit, else to the series of the target, else to the first peer.
        beside = [
            limit,
            *(series[self.ours].at("p50") for bound in self.bounds if bound.of == "p50"),
            *(result["peers"].get(bound.of) for bound in self.bounds),
            *result["peers"].values(),
        ]
        beside = next((one for one in beside if one is not None), None)
        result["ratio"] = ours / beside if beside else None
        verdicts = []
        for bound in self.bounds:
            statistic = bound.statistic or self.statistic
            if bound.of is None:
                other = 1
            elif bound.of == "limit":
                other = limit
            elif bound.of == "p50":
                other, statistic = series[self.ours].at("p50"), self.statistic
            else:
                other = result["peers"].get(bound.of)
            verdicts.append(None if other is None else bound.holds(self.ours_at(series, statistic), other))
        result["met"] = False if False in verdicts else None if None in verdicts or not verdicts else True
        return result

    def others(self, series, why):
        parts = [name for name in self.parts()]
        absent = [name for name in parts if name not in series]
        result = {
            "limit": None if absent or not parts else sum(series[name].at(self.statistic) for name in parts),
            "peers": {label: series[name].at(self.statistic) for label, name in self.peers.items() if name in series},
            "peers_missing": {label: why(name) for label, name in self.peers.items() if name not in series},
        }
        if parts and not absent:
            result["limit_unit"] = series[parts[0]].unit
        if absent:
            result["limit_missing"] = why(absent[0])
        return result


def cells(row):
    """Formats one line of the table."""
    unit = row.get("unit") or row.get("limit_unit") or "us"
    if row["ours"] is None:
        ours = f"none: {row['ours_missing']}"
    else:
        ours = words(row["ours"], unit)
        best = words(row["best"], unit)
        if row["statistic"] == "p50" and best != ours:
            ours += f" ({best})"
    limit = (
        f"not here: {row['limit_missing']}"
        if "limit_missing" in row
        else "–"
        if row["limit"] is None
        else words(row["limit"], unit)
    )
    peers = [f"{label} {words(value, unit)}" for label, value in row["peers"].items()]
    peers += [f"{label}: not here: {why}" for label, why in row["peers_missing"].items()]
    ratio = "–" if row["ratio"] is None else f"{row['ratio']:.2f}"
    met = {True: "yes", False: "**no**", None: "–" if not row["target"] else "not known"}[row["met"]]
    return [row["what"], ours, limit, "; ".join(peers) or "–", ratio, row["target"] or "–", met]


def table(rows):
    """Formats the table in Markdown, misses first."""
    rank = {False: 0, None: 1, True: 2}
    lines = [["what", "ours", "limit", "peer", "ratio", "target", "met"]]
    lines += [cells(row) for row in sorted(rows, key=lambda row: rank[row["met"]] if row["target"] else 3)]
    text = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([text[0], "| --- " * 7 + "|", *text[1:]])


def changes(before, after):
    """Returns the changes between the series of two results that exceed noise.

    A change exceeds noise if it is at least a tenth, and no round of the one is within the range of the other's. For
    rates and shares, more is better.
    """
    lines = []
    for name in before.keys() & after.keys():
        old, new = before[name], after[name]
        if not old["p50"] or not new["rounds"] or not old["rounds"]:
            continue
        ratio = new["p50"] / old["p50"]
        apart = min(new["rounds"]) > max(old["rounds"]) or max(new["rounds"]) < min(old["rounds"])
        if not apart or abs(ratio - 1) < 0.1:
            continue
        worse = (ratio > 1) != (new["unit"] in MORE_IS_BETTER)
        lines.append(("worse" if worse else "better", name, old["p50"], new["p50"], new["unit"], ratio))
    return sorted(lines, key=lambda line: (line[0] == "better", line[1]))
