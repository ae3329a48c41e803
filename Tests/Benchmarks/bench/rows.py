"""rows: the rows of the table, and the groups of programs that run in turn to fill them."""

import contextlib
import dataclasses
import pathlib
import shutil
import sys

import ephemeral
import measures
from build import BENCHMARKS, ROOT
from table import Row, at_least, at_most

# fmt: off: tables
COUNTS = (10, 100, 1000, 10_000)
MEGABYTE = 1 << 20


def libraries():
    """Returns the folder of Swift's libraries."""
    return str(pathlib.Path(shutil.which("swift")).resolve().parent.parent / "lib/swift/linux")


@dataclasses.dataclass(frozen=True)
class Run:
    """A program with its arguments, or a function that measures. Its series have the name PREFIX.NAME."""

    prefix: str
    program: object
    arguments: tuple = ()
    cpu: int | None = None
    environment: dict = dataclasses.field(default_factory=dict)
    # The programs that it starts itself, by the names of their files.
    needs: tuple = ()
    # The time in seconds after which it has failed.
    bound: int = 900


@dataclasses.dataclass(frozen=True)
class Group:
    """A group of runs, which run in turn for a number of rounds (quick, full)."""

    name: str
    rounds: tuple
    runs: list
    inside: object = contextlib.nullcontext
    only_named: bool = False


@dataclasses.dataclass(frozen=True)
class Curve:
    """A curve over a growing quantity, with a series for each count."""

    what: str
    series: dict
    minus: str | None = None


class Plan:
    """The plan of one run, quick or full."""

    def __init__(self, programs, payloads, quick):
        self.programs, self.payloads, self.quick = programs, payloads, quick
        self.groups, self.rows, self.curves = [], [], []
        self.cold()
        self.warm()
        self.parked()
        self.load()
        self.calls()
        self.bulk()
        self.tunnel()
        self.codec()
        self.memory()
        self.idle()
        self.notifications()
        self.matching()
        self.blocker()
        self.search()
        self.pages()
        self.starts()
        self.ephemeral()
        self.deadlines()
        self.demo()
        self.import_alone()

    def pick(self, quick, full):
        return quick if self.quick else full

    def ours(self, prefix, what, link, *arguments, **more):
        """Runs RequestBench with the extension of this kind of linkage."""
        return Run(
            prefix, "RequestBench", (what, lambda: self.programs.path(f"Echo{link}"), *map(str, arguments)), **more
        )

    def child(self, link, *words):
        return ("--", lambda: self.programs.path(f"BareChild{link}"), *words)

    # The measurements of the groups.

    def cold(self):
        small, rounds = str(self.payloads["small"]), self.pick("12", "40")
        init = lambda: self.programs.path("exthost-init")  # noqa: E731
        runs = []
        for link in "Static", "Stdlib", "Dynamic":
            name = link.lower()
            runs.append(self.ours(f"cold.{name}", "cold", link, rounds))
            runs.append(
                Run(
                    f"cold.{name}.bare",
                    "harness",
                    ("cold", small, rounds, init, *self.child(link, "codable", "once")),
                    environment={"EXTHOST_BENCH_READ": libraries()},
                )
            )
        runs.append(self.ours("cold.static.open", "cold", "Static", rounds, "--sandbox", "none"))
        runs.append(
            Run("cold.static.open.bare", "harness", ("cold", small, rounds, *self.child("Static", "codable", "once")))
        )
        runs.append(Run("cold.dbus", "bus", ("cold", "org.exthost.Once", small, rounds)))
        runs.append(Run("cold.goplugin", "goplugin", ("cold", small, rounds)))
        self.groups.append(Group("cold", (3, 8), runs, inside=lambda: measures.private_bus(self.programs)))
        peers = {"dbus-daemon": "cold.dbus.gone", "go-plugin": "cold.goplugin.gone"}
        what = "cold: begin, complete, gone; "
        self.rows += [
            Row(
                "cold.static",
                what + "fully static",
                "cold.static.gone",
                "cold.static.bare.gone",
                peers,
                (at_most(1.5, "limit"), at_most(1, "dbus-daemon"), at_most(0.4, "go-plugin")),
            ),
            Row(
                "cold.stdlib",
                what + "-static-stdlib",
                "cold.stdlib.gone",
                "cold.stdlib.bare.gone",
                peers,
                (at_most(1.3, "limit"), at_most(1, "go-plugin")),
            ),
            Row(
                "cold.dynamic",
                what + "dynamic",
                "cold.dynamic.gone",
                "cold.dynamic.bare.gone",
                peers,
                (at_most(1.15, "limit"),),
            ),
            Row(
                "cold.static.open",
                what + "fully static, neither confined",
                "cold.static.open.gone",
                "cold.static.open.bare.gone",
                peers,
                (at_most(1.5, "limit"),),
            ),
            Row(
                "cold.static.result",
                "cold until the result; fully static",
                "cold.static.result",
                "cold.static.bare.result",
                {"dbus-daemon": "cold.dbus.result", "go-plugin": "cold.goplugin.result"},
            ),
        ]

    def warm(self):
        small, rounds, more = str(self.payloads["small"]), self.pick("1500", "4000"), {"cpu": 1}
        relay = (small, "1", rounds, *self.child("Static", "own"))
        runs = []
        for where, how in ("1cpu", more), ("free", {}):
            runs.append(self.ours(f"warm.{where}", "warm", "Static", rounds, **how))
            runs.append(Run(f"warm.{where}.relay", "relay", relay, **how))
            runs.append(
                Run(f"warm.{where}.direct", "harness", ("warm", small, rounds, *self.child("Static", "own")), **how)
            )
        runs.append(Run("warm.goplugin", "goplugin", ("warm", small, rounds)))
        runs.append(Run("warm.dbus", "bus", ("warm", "org.exthost.Stay", small, rounds)))
        runs.append(Run("warm.python", "python", (str(BENCHMARKS / "forkserver.py"), "warm", small, rounds)))
        self.groups.append(Group("warm", (3, 6), runs, inside=lambda: measures.private_bus(self.programs)))
        self.rows += [
            Row(
                "warm.1cpu",
                "warm request of 1 KB, one cpu",
                "warm.1cpu.request",
                "warm.1cpu.relay.request",
                {"direct": "warm.1cpu.direct.warm"},
                (at_most(1.2, "limit"),),
            ),
            Row(
                "warm.free",
                "warm request of 1 KB, both cpus",
                "warm.free.request",
                "warm.free.relay.request",
                {
                    "go-plugin": "warm.goplugin.warm",
                    "dbus-daemon": "warm.dbus.warm",
                    "python": "warm.python.warm",
                    "direct": "warm.free.direct.warm",
                },
                (at_most(1, "go-plugin"), at_most(1, "dbus-daemon")),
            ),
        ]

    def parked(self):
        small, rounds = str(self.payloads["small"]), self.pick("15", "60")
        self.groups.append(
            Group(
                "parked",
                (2, 4),
                [
                    self.ours("parked.ours", "parked", "Static", rounds),
                    Run(
                        "parked.bare",
                        "harness",
                        ("parked", small, rounds, *self.child("Static", "codable", "once", "ready")),
                    ),
                    Run("parked.python", "python", (str(BENCHMARKS / "forkserver.py"), "cold", small, rounds)),
                ],
            )
        )
        self.rows.append(
            Row(
                "parked",
                "first reply of a process that waits",
                "parked.ours.result",
                "parked.bare.result",
                {"python forkserver": "parked.python.result"},
                (at_most(2, "limit"),),
            )
        )

    def load(self):
        small = str(self.payloads["small"])
        runs = []
        for hosts in 1, 10, 100:
            rounds = str(self.pick(4000, 20_000))
            runs.append(self.ours(f"load.{hosts}", "load", "Static", rounds, hosts))
            runs.append(Run(f"load.{hosts}.relay", "relay", (small, str(hosts), rounds, *self.child("Static", "own"))))
            limit = f"load.{hosts}.relay.rate"
            self.rows.append(
                Row(
                    f"rate.{hosts}",
                    f"requests in a second, {hosts} {'host' if hosts == 1 else 'hosts'}",
                    f"load.{hosts}.rate",
                    limit,
                    {},
                    (at_least(0.7, "limit"),),
                )
            )
        self.groups.append(Group("load", (2, 5), runs))
        self.rows += [
            Row(
                "fewest.100",
                "of 100 hosts the one with the fewest, of the mean",
                "load.100.fewest",
                "load.100.relay.fewest",
                {},
                (at_least(0.5, unit="share"),),
            ),
            Row(
                "p99.100",
                "p99 of a request under 100 hosts",
                "load.100.request",
                (),
                {},
                (at_most(3, "p50"),),
                statistic="p99",
            ),
        ]
        self.curves.append(
            Curve("time of a request, by hosts", {hosts: f"load.{hosts}.request" for hosts in (1, 10, 100)})
        )

    def calls(self):
        """A call and a load take turns in one run, so both have the same machine."""
        rounds = self.pick("1500", "4000")
        runs = [
            self.ours("calls.1cpu", "calls", "Static", rounds, cpu=1),
            self.ours("calls.free", "calls", "Static", rounds),
        ]
        self.groups.append(Group("calls", (3, 6), runs))
        for where, words in ("1cpu", "one cpu"), ("free", "both cpus"):
            self.rows.append(
                Row(
                    f"call.{where}",
                    f"a call of 1 KB there and back, {words}",
                    f"calls.{where}.call",
                    (),
                    {"item load": f"calls.{where}.load"},
                    (at_most(1.25, "item load"),),
                )
            )

    def bulk(self):
        sizes = (1 << 10, 1 << 16, 1 << 20, 1 << 26, *self.pick((), (1 << 30,)))
        rows = {1 << 26: ("64 MB", "64"), 1 << 30: ("1 GB", "1024")}
        for size in sizes:
            rounds = "2" if size > 1 << 28 else self.pick("4", "8")
            self.groups.append(
                Group(
                    "bulk",
                    (1 if size > 1 << 28 else 2, 2 if size > 1 << 28 else 3),
                    [
                        self.ours(f"bulk.{size}.placed", "bulk", "Static", rounds, size, "presentData"),
                        self.ours(f"bulk.{size}.copied", "bulk", "Static", rounds, size, "handlersData"),
                        Run(f"bulk.{size}.c", "bulk", (str(size), rounds)),
                    ],
                )
            )
            if size not in rows:
                continue
            words = rows[size][0]
            self.rows += [
                Row(
                    f"placed.{words}",
                    f"{words} made in place: handed over and read",
                    f"bulk.{size}.placed.total",
                    f"bulk.{size}.c.placed",
                    {"reading alone": f"bulk.{size}.c.added"},
                    (at_most(round(1 / 0.9, 3), "limit"),),
                ),
                Row(
                    f"handed.{words}",
                    f"{words} made in place: handed over",
                    f"bulk.{size}.placed.load",
                    f"bulk.{size}.c.handed",
                ),
                Row(
                    f"grown.{words}",
                    f"{words} made in place: the daemon grows by",
                    f"bulk.{size}.placed.daemonGrowth",
                    (),
                    {},
                    (at_most(1024, unit="KB"),),
                    statistic="max",
                ),
                Row(
                    f"copied.{words}",
                    f"{words} from ordinary memory",
                    f"bulk.{size}.copied.total",
                    f"bulk.{size}.c.fresh",
                    {},
                    (at_most(round(1 / 0.85, 3), "limit"),),
                ),
            ]
        self.curves += [
            Curve("a value made in place, by bytes", {size: f"bulk.{size}.placed.total" for size in sizes}),
            Curve("a value from ordinary memory, by bytes", {size: f"bulk.{size}.copied.total" for size in sizes}),
        ]

    def tunnel(self):
        """Sends datagrams through the sample of a packet tunnel, and through two plain processes in C."""
        time, window = self.pick("2000", "5000"), "64"
        runs = []
        for figure, size in ("packets", "64"), ("bytes", "1372"):
            runs += [
                Run(
                    f"tunnel.{size}",
                    "RequestBench",
                    (
                        "tunnel",
                        lambda: self.programs.path("EchoTunnel"),
                        time,
                        lambda: self.programs.path("tun"),
                        size,
                        window,
                    ),
                ),
                Run(f"tunnel.{size}.plain", "tun", ("peer", time, size, window)),
            ]
            self.rows.append(
                Row(
                    f"tunnel.{figure}",
                    f"{figure} in a second through a tunnel and back, datagrams of {int(size):,} bytes",
                    f"tunnel.{size}.{figure}",
                    f"tunnel.{size}.plain.{figure}",
                    {},
                    (at_least(0.5, "limit"),),
                )
            )
        self.groups.append(Group("tunnel", (3, 6), runs))

    def codec(self):
        rounds = {"small": self.pick("1000", "4000"), "many": self.pick("60", "200"), "large": self.pick("6", "20")}
        words = {"small": "1 KB", "many": "59 KB", "large": "8 MB"}
        runs = []
        for name, factor in ("small", 0.6), ("many", 0.35), ("large", 0.75):
            path = str(self.payloads[name])
            # It is a matter of chance whether malloc takes eight megabytes from the heap or maps new pages, which is
            # ten times as slow. So both programs retain their heap's pages.
            heap = (
                {"GLIBC_TUNABLES": f"glibc.malloc.mmap_threshold={32 << 20}:glibc.malloc.trim_threshold={1 << 30}"}
                if name == "large"
                else {}
            )
            runs += [
                Run(f"codec.{name}", "CodecBench", (path, rounds[name]), environment=heap),
                Run(f"codec.{name}.libplist", "plist", (path, rounds[name]), environment=heap),
            ]
            self.rows.append(
                Row(
                    f"codec.{name}",
                    f"property list of {words[name]}: decode and encode",
                    f"codec.{name}.both",
                    (),
                    {"libplist": f"codec.{name}.libplist.both"},
                    (at_most(factor, "libplist"),),
                )
            )
        self.groups.append(Group("codec", (3, 8), runs))

    def memory(self):
        runs = []
        for link in "Static", "Stdlib", "Dynamic":
            name = link.lower()
            runs += [
                self.ours(f"memory.{name}", "idle", link, 0, 20),
                Run(f"memory.{name}.bare", "idle", ("20", *self.child(link, "codable", "ready"))),
            ]
            self.rows.append(
                Row(
                    f"memory.{name}",
                    f"memory of an idle extension (its alone), {link}",
                    f"memory.{name}.uss",
                    f"memory.{name}.bare.uss",
                    {},
                    (at_most(1.3, "limit"),),
                )
            )
        self.groups.append(Group("memory", (1, 2), runs))

    def idle(self):
        seconds = self.pick(10, 60)
        broker = (
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
            "--propagation",
            "private",
            sys.executable,
            str(BENCHMARKS / "broker.py"),
            "1000",
        )
        self.groups.append(
            Group(
                "idle",
                (1, 1),
                [
                    self.ours("idle.1000", "idle", "Static", seconds, 1000),
                    Run("idle.broker", "unshare", broker, needs=("dbus-broker", "dbus-broker-launch"), bound=120),
                ],
            )
        )
        self.rows += [
            Row(
                "idle.wakeups",
                f"1,000 idle extensions, {seconds} s: the daemon's wake-ups",
                "idle.1000.wakeups",
                (),
                {},
                (at_most(0, unit="count"),),
            ),
            Row(
                "idle.daemon",
                "1,000 idle extensions: the daemon's memory",
                "idle.1000.daemon",
                (),
                {"dbus-broker and launcher": "idle.broker.rss"},
                (at_most(1.5, "dbus-broker and launcher"),),
            ),
        ]

    def notifications(self):
        runs = []
        for count in 1, 10, 100, 1000:
            rounds = {
                1: self.pick("40", "150"),
                10: self.pick("20", "80"),
                100: self.pick("5", "20"),
                1000: self.pick("2", "6"),
            }[count]
            runs += [
                self.ours(f"notify.{count}", "notify", "Static", rounds, count),
                Run(f"notify.{count}.direct", "bus", ("direct", str(count), rounds)),
                Run(f"notify.{count}.dbus", "bus", ("signal", str(count), rounds)),
            ]
            self.rows.append(
                Row(
                    f"notify.{count}",
                    f"a host's notification to {count}: the last has it",
                    f"notify.{count}.last",
                    f"notify.{count}.direct.last",
                    {"dbus-daemon": f"notify.{count}.dbus.last"},
                    (at_most(1.5, "limit"),),
                )
            )
        self.rows.append(
            Row(
                "notify.meanwhile",
                "a request of another host during a notification to 1,000 waits",
                "notify.1000.meanwhile",
                (),
                {},
                (at_most(1000, unit="us"),),
                minus="notify.1000.alone",
            )
        )
        self.groups.append(Group("notify", (1, 3), runs, inside=lambda: measures.private_bus(self.programs)))
        self.curves.append(
            Curve("a notification, by extensions", {count: f"notify.{count}.last" for count in (1, 10, 100, 1000)})
        )

    def matching(self):
        runs = [Run("rules", "RuleBench", ()), Run("sketch", "MatchSketch", ())]
        self.groups.append(Group("matching", (3, 8), runs))
        self.rows.append(
            Row(
                "matching",
                "which of 1,000 rules accept an item",
                "rules.match.1000",
                "sketch.match.1000",
                {},
                (at_most(2, "limit"),),
            )
        )
        self.curves.append(
            Curve("which rules accept an item, by rules", {count: f"rules.match.{count}" for count in COUNTS})
        )

    def blocker(self):
        self.groups.append(Group("blocker", (1, 3), [Run("blocker", "BlockerBench", ())]))
        self.rows += [
            Row(
                "blocker.compile",
                "150,000 rules of a content blocker: compile",
                "blocker.compile",
                bounds=(at_most(5e6, unit="us"),),
            ),
            Row(
                "blocker.memory",
                "150,000 rules of a content blocker: memory to compile",
                "blocker.memory",
                bounds=(at_most(200 * 1024, unit="KB"),),
            ),
        ]
        self.rows += [
            Row(
                f"blocker.decision.{name}",
                f"a load among 150,000 rules, {what}",
                f"blocker.decision.{name}",
                bounds=(at_most(1000, unit="us"),),
            )
            for name, what in (("short", "24 bytes"), ("script", "95 bytes"), ("long", "980 bytes"))
        ]

    def search(self):
        self.groups.append(Group("search", (1, 3), [Run("search", "SearchBench", ())]))
        self.rows += [
            Row(
                f"search.{name}",
                f"a search among 100,000 items, {what}",
                f"search.{name}",
                bounds=(at_most(50_000, unit="us"),),
            )
            for name, what in (
                ("word", "a word"),
                ("words", "two words"),
                ("prefix", "the first two letters of a word"),
                ("letter", "the first letter of a word"),
                ("missing", "a word that no item has"),
                ("query.prefix", "a pattern with * at its end"),
                ("query.inside", "a pattern with * at both ends"),
                ("query.missing", "a pattern with * at both ends that matches no item"),
                ("query.number", "two comparisons of numbers"),
            )
        ]

    def pages(self):
        """Measures each engine that is installed. The row of another one names what it lacks."""
        engines = "wpe", "chromium", "jsc"
        rounds = self.pick("5", "20")
        self.groups.append(
            Group("pages", (1, 3), [Run(f"pages.{name}", "RequestBench", ("page", name, rounds)) for name in engines])
        )
        self.rows += [
            Row(
                f"pages.{name}",
                f"an article of 58 KB, opened, run and finalized, {name}",
                f"pages.{name}.page",
                bounds=(at_most(1.5e6, unit="us"),),
            )
            for name in engines
        ]

    def starts(self):
        counts = self.pick((10, 100, 1000), COUNTS)
        folders = measures.Starts(self.programs, counts)
        self.groups.append(
            Group("starts", (5, 10), [Run("start", folders.ours), Run("walk", folders.limit)], inside=folders.ready)
        )
        asked = measures.Starts(self.programs, counts)
        self.groups.append(Group("asked", (1, 1), [Run("asked", asked.questions)], inside=asked.ready))
        self.rows += [
            Row(
                "start.read",
                "start to ready with 1,000 bundles, without an index",
                "start.read.1000",
                (),
                {"libplist": "walk.libplist.1000"},
                (at_most(1.5, "libplist"),),
                statistic="min",
                minus="start.read.0",
            ),
            Row(
                "start.index",
                "start to ready with 1,000 bundles, with an index",
                "start.index.1000",
                "walk.stat.1000",
                {},
                (at_most(3, "limit"),),
                statistic="min",
                minus="start.index.0",
            ),
            Row(
                "start.index.processor",
                "start with 1,000 bundles, with an index, on a processor",
                "start.index.processor.1000",
                "walk.stat.1000",
                {},
                (at_most(3, "limit"),),
                statistic="min",
                minus="start.index.processor.0",
            ),
            Row(
                "start.read.processor",
                "start with 1,000 bundles, without an index, on a processor",
                "start.read.processor.1000",
                (),
                {"libplist": "walk.libplist.1000"},
                statistic="min",
                minus="start.read.processor.0",
            ),
            Row(
                "asked",
                "a daemon's answer, which of 1,000 accept two items",
                "asked.match.1000",
                (),
                {},
                (at_most(50_000, unit="us"),),
                statistic="min",
            ),
        ]
        # With an index the time on the clock hides behind other work of the service's start.
        self.curves += [
            Curve(
                f"a start {how}, by bundles",
                {count: f"start.{kind}.{count}" for count in counts},
                minus=f"start.{kind}.0",
            )
            for kind, how in (("read", "without an index"), ("index.processor", "with an index, on a processor"))
        ]
        self.curves.append(
            Curve("a daemon's answer who accepts, by bundles", {count: f"asked.match.{count}" for count in counts})
        )

    def ephemeral(self):
        program = lambda: self.programs.path("exthostd")  # noqa: E731
        self.groups.append(
            Group(
                "ephemeral",
                (15, 40),
                [
                    Run("ephemeral", lambda: measures.first_answer(ephemeral.Ours, program())),
                    Run(
                        "ephemeral.dbus",
                        lambda: measures.first_answer(ephemeral.Bus, self.programs.path("dbus-daemon")),
                    ),
                ],
            )
        )
        self.groups.append(
            Group(
                "ephemeral",
                (3, 5),
                [
                    Run("ephemeral", lambda: measures.at_once(ephemeral.Ours, program())),
                    Run("ephemeral.dbus", lambda: measures.at_once(ephemeral.Bus, self.programs.path("dbus-daemon"))),
                ],
            )
        )
        self.rows += [
            Row(
                "ephemeral",
                "a private daemon's first answer",
                "ephemeral.answer",
                (),
                {"dbus-daemon": "ephemeral.dbus.answer"},
                (at_most(2.5, "dbus-daemon"),),
            ),
            Row(
                "ephemeral.64",
                "64 of them at once",
                "ephemeral.together",
                (),
                {"dbus-daemon": "ephemeral.dbus.together"},
                (at_most(1e6, unit="us"),),
                statistic="min",
            ),
        ]

    def deadlines(self):
        rounds = self.pick("20", "100")
        runs = [
            self.ours("deadline", "deadline", "Static", rounds),
            Run("deadline.c", "deadline", (rounds, *self.child("Static", "codable", "ready"))),
        ]
        runs += [self.ours(f"tree.{count}", "tree", "Static", self.pick("4", "15"), count) for count in (1, 10, 100)]
        self.groups.append(Group("deadlines", (2, 4), runs))
        limit = ("deadline.c.late", "deadline.c.reaped")
        self.rows += [
            Row(
                "deadline",
                "deadline to killed and reaped",
                "deadline.gone",
                limit,
                {},
                (at_most(2, "limit"), at_most(5000, statistic="p99", unit="us")),
            ),
            Row(
                "deadline.early",
                "a deadline is never early",
                "deadline.late",
                "deadline.c.late",
                {},
                (at_least(0, unit="us"),),
                statistic="min",
            ),
            Row("tree", "kill of an extension with 100 processes, until all are gone", "tree.100.gone"),
        ]
        self.curves.append(
            Curve("a kill, by processes of the tree", {count: f"tree.{count}.gone" for count in (1, 10, 100)})
        )

    def demo(self):
        self.groups.append(Group("demo", (1, 1), [Run("demo", lambda: measures.clone_and_demo(ROOT))], only_named=True))
        self.rows.append(
            Row(
                "demo",
                "fresh clone to first outcome, building included",
                "demo.demo",
                (),
                {},
                (at_most(240e6, unit="us"),),
            )
        )

    def import_alone(self):
        """The comparison is with the last commit before sources for Apple's systems compiled unchanged."""
        before = "2dfd4ee"
        runs = [
            Run("import", lambda: measures.import_alone(ROOT)),
            Run("import.before", lambda: measures.import_alone(ROOT, before)),
        ]
        self.groups.append(Group("import", (3, 5), runs, only_named=True))
        self.rows.append(
            Row(
                "import",
                "debug build of a package that imports `Social` alone, on a processor",
                "import.processor",
                (),
                {before: "import.before.processor"},
                (at_most(1.05, before),),
                statistic="min",
            )
        )
