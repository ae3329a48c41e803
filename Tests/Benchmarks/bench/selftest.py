"""selftest: tests the driver with canned samples and without a clock. BenchmarkDriverTests runs it."""

import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import driver
import report
from build import NotHere
from rows import Group, Plan, Run
from samples import Series, histogram, order, parse, words
from table import Row, at_least, at_most, changes, table


def series(**figures):
    made = {}
    for name, values in figures.items():
        one = made[name.replace("_", ".")] = Series("us")
        one.add(values)
    return made


class Programs:
    """Programs without any but one, which prints its input."""

    quick, release = True, pathlib.Path("/nonexistent")

    def path(self, name):
        if name in ("sh", "exthostd"):
            return "/bin/sh"
        raise NotHere(f"{name}-package")


class SamplesTests(unittest.TestCase):
    def testLinesAreParsed(self):
        self.assertEqual(parse("gone us 1.5 2\nrate 1/s 7\n"), {"gone": ("us", [1.5, 2]), "rate": ("1/s", [7])})

    def testWhatIsNoLineOfSamplesIsRefused(self):
        for text in "gone us", "gone us fast", "usage: gone":
            with self.assertRaises(ValueError):
                parse(text)

    def testStatisticsAreOfAllRounds(self):
        one = Series("us")
        one.add([3, 1])
        one.add([2, 10])
        self.assertEqual([one.at(which) for which in ("min", "p50", "p99", "max", "mean")], [1, 3, 10, 10, 4])
        self.assertEqual(one.rounds, [2, 6])

    def testValuesHaveTheUnitThatSuits(self):
        self.assertEqual(
            [
                words(*pair)
                for pair in ((12.34, "us"), (1500, "us"), (2e6, "us"), (3, "count"), (2048, "KB"), (63000, "1/s"))
            ],
            ["12.3 µs", "1.5 ms", "2 s", "3", "2 MB", "63,000 1/s"],
        )

    def testTheOrderOfWhatGrowsIsNamed(self):
        counts = (10, 100, 1000, 10_000)
        wobble = (1.02, 0.97, 1.03, 0.99)
        for name, grows in (
            ("O(1)", lambda n: 5),
            ("O(n)", lambda n: 40 + 3 * n),
            ("O(n²)", lambda n: n * n),
            ("O(n log n)", lambda n: n * n.bit_length()),
        ):
            found, _ = order({n: grows(n) * by for n, by in zip(counts, wobble)})
            self.assertEqual(found, name)

    def testADistributionCountsEverySample(self):
        one = Series("us", [1, 1.1, 1.2, 5, 9, 100])
        self.assertEqual(sum(int(line.split()[-1]) for line in histogram(one)), 6)
        self.assertEqual(histogram(Series("us", [0, 1])), [])


class TableTests(unittest.TestCase):
    figures = series(ours=[10, 12], limit=[9, 9], late=[2, 2], peer=[30, 30])

    def judge(self, **more):
        return Row("row", "what it is", "ours", **more).judge(self.figures, {"gone": "go"})

    def testATargetHoldsOrNot(self):
        self.assertTrue(self.judge(limit="limit", bounds=(at_most(1.5, "limit"),))["met"])
        self.assertFalse(self.judge(limit="limit", bounds=(at_most(1.2, "limit"),))["met"])
        self.assertFalse(
            self.judge(limit="limit", bounds=(at_most(1.5, "limit"), at_most(0.1, "go")), peers={"go": "peer"})["met"]
        )
        self.assertTrue(self.judge(bounds=(at_least(11, unit="us"),))["met"])
        self.assertTrue(self.judge(limit=("limit", "late"), bounds=(at_most(1.1, "limit"),))["met"])

    def testWhatIsNotThereIsNotMetAndSaysSo(self):
        row = self.judge(
            limit="limit", bounds=(at_most(1.5, "limit"), at_most(1, "go-plugin")), peers={"go-plugin": "gone"}
        )
        self.assertIsNone(row["met"])
        self.assertIn("go-plugin: not here: go", table([row]))
        self.assertIn("not known", table([row]))
        absent = Row("row", "parked", "gone", "limit", bounds=(at_most(2, "limit"),)).judge(
            self.figures, {"gone": "no such part"}
        )
        self.assertIn("| parked | none: no such part | 9 µs |", table([absent]))

    def testMissesComeFirst(self):
        met = self.judge(limit="limit", bounds=(at_most(2, "limit"),)) | {"what": "met"}
        missed = self.judge(limit="limit", bounds=(at_most(1, "limit"),)) | {"what": "missed"}
        lines = table([met, missed]).splitlines()
        self.assertTrue(
            lines[2].startswith("| missed | 12 µs (10 µs) | 9 µs | – | 1.33 | ≤ limit | **no** |"), lines[2]
        )

    def testTheRatioIsToTheLimitElseToWhatTheTargetNames(self):
        self.assertEqual(self.judge(limit="limit", peers={"a": "peer"}, bounds=(at_most(1, "a"),))["ratio"], 12 / 9)
        self.assertEqual(self.judge(peers={"b": "limit", "a": "peer"}, bounds=(at_most(1, "a"),))["ratio"], 12 / 30)
        self.assertEqual(self.judge(bounds=(at_most(3, "p50"),), statistic="min")["ratio"], 10 / 12)
        self.assertIsNone(self.judge()["ratio"])

    def testWhatADaemonTakesWithoutWorkIsTakenOff(self):
        row = Row("row", "start", "peer", "limit", bounds=(at_most(2.1, "limit"),), minus="ours").judge(
            self.figures, {}
        )
        self.assertEqual((row["ours"], row["met"]), (18, True))
        lost = Row("row", "start", "limit", "limit", bounds=(at_most(2.1, "limit"),), minus="ours").judge(
            self.figures, {}
        )
        self.assertIsNone(lost["met"])
        self.assertIn("lost in the noise", table([lost]))

    def testChangesBeyondNoiseAreTold(self):
        def one(median, rounds, unit="us"):
            return {"p50": median, "rounds": rounds, "unit": unit}

        before = {
            "slow": one(10, [9, 11]),
            "noisy": one(10, [5, 20]),
            "rate": one(100, [99, 101], "1/s"),
            "little": one(10, [10, 10]),
        }
        after = {
            "slow": one(15, [14, 16]),
            "noisy": one(15, [14, 16]),
            "rate": one(200, [190, 210], "1/s"),
            "little": one(10.5, [10.5, 10.5]),
        }
        self.assertEqual([line[:2] for line in changes(before, after)], [("worse", "slow"), ("better", "rate")])


class DriverTests(unittest.TestCase):
    def plan(self):
        return Plan(Programs(), {name: pathlib.Path(name) for name in ("small", "many", "large")}, True)

    def testEveryRowHasRunsForAllThatItNames(self):
        plan = self.plan()
        prefixes = [run.prefix for group in plan.groups for run in group.runs]
        for row in plan.rows:
            for name in filter(None, (row.ours, row.minus, *row.parts(), *row.peers.values())):
                self.assertTrue(any(name == prefix or name.startswith(prefix + ".") for prefix in prefixes), name)
            for bound in row.bounds:
                self.assertIn(bound.of, (None, "limit", "p50", *row.peers), row.name)
        names = [row.name for row in plan.rows]
        self.assertEqual(len(names), len(set(names)))

    def testRowsAreAskedForByNameOrGroup(self):
        rows, groups = driver.select(self.plan(), ["codec"])
        self.assertEqual([row.name for row in rows], ["codec.small", "codec.many", "codec.large"])
        self.assertEqual([group.name for group in groups], ["codec"])
        self.assertNotIn("demo", [row.name for row in driver.select(self.plan(), [])[0]])
        with self.assertRaises(SystemExit):
            driver.select(self.plan(), ["nothing"])

    def testRunsTakeTurnsAndWhatIsMissingIsNamed(self):
        counter = {"number": 0}

        def ours():
            counter["number"] += 1
            return {"time": ("us", [counter["number"]])}

        runs = [
            Run("a", ours),
            Run("b", "sh", ("-c", "echo time us 5 6")),
            Run("c", "goplugin"),
            Run("d", "sh", ("-c", "exit 3")),
            Run("e", "sh", ("-c", "exec sleep 1000"), bound=1),
            Run("f", "sh", ("-c", "exit 0"), needs=("no-such-program",)),
        ]
        with mock.patch("sys.stderr"):
            figures, missing = driver.measure(Programs(), [Group("group", (2, 9), runs)], lambda text: None)
        self.assertEqual(figures["a.time"].values, [1, 2])
        self.assertEqual(figures["b.time"].values, [5, 6, 5, 6])
        self.assertEqual(missing.get("c.time"), "goplugin-package")
        self.assertIn("exit status 3", missing.get("d.time"))
        self.assertIn("timed out after 1 seconds", missing.get("e.time"))
        self.assertEqual(missing.get("f.time"), "no-such-program")
        self.assertEqual(
            [driver.lacks(Programs(), run) for run in runs], [[], [], ["goplugin-package"], [], [], ["no-such-program"]]
        )

    def testAResultIsKeptAndComparedWith(self):
        plan, figures = self.plan(), series(codec_small_both=[5, 5], codec_small_libplist_both=[10, 10])
        rows = [row for row in plan.rows if row.name == "codec.small"]
        options = mock.Mock(quick=True, realtime=False)
        result = driver.document(figures, rows, plan, {}, options, 0)
        with tempfile.NamedTemporaryFile("w+") as file:
            json.dump(result, file)
            file.seek(0)
            again = json.load(file)
        self.assertEqual(again["rows"][0]["ratio"], 0.5)
        self.assertIn("| yes |", report.text(again, figures))
        again["series"]["codec.small.both"] |= {"p50": 2, "rounds": [2]}
        self.assertIn("worse: codec.small.both 2 µs → 5 µs (2.50 ×)", report.against(again, result))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
