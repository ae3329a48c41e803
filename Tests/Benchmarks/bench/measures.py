"""measures: times daemons from their start, and questions to them, in Python.

Each function returns {name: (unit, samples)}. The module also provides the environments of the programs.
"""

import contextlib
import os
import pathlib
import resource
import shutil
import socket
import subprocess
import tempfile
import time

import ephemeral
import match
import start
from build import NotHere

CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={folder}/bus</listen><auth>EXTERNAL</auth>\
<servicedir>{folder}</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>\
<allow own="*"/></policy>
<limit name="max_connections_per_user">100000</limit><limit name="max_completed_connections">100000</limit>
<limit name="max_incomplete_connections">10000</limit></busconfig>
"""


def microseconds(times):
    return "us", [one * 1000 for one in times]


@contextlib.contextmanager
def temporary(what):
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"exthost-{what}-", dir="/var/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def private_bus(programs):
    """Starts a dbus-daemon and returns its environment. It can activate the echo service `org.exthost.Once`, and
    `org.exthost.Stay` runs.
    """
    daemon, service = programs.path("dbus-daemon"), programs.path("bus")
    with temporary("bus") as folder:
        (folder / "once.service").write_text(
            f"[D-BUS Service]\nName=org.exthost.Once\nExec={service} serve org.exthost.Once once\n"
        )
        (folder / "bus.conf").write_text(CONFIGURATION.format(folder=folder))
        bus = subprocess.Popen(
            [daemon, f"--config-file={folder}/bus.conf", "--nofork", "--nopidfile"], stderr=subprocess.DEVNULL
        )
        environment = os.environ | {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus"}
        stay = None
        try:
            await_socket(folder / "bus")
            stay = subprocess.Popen([service, "serve", "org.exthost.Stay"], env=environment)
            while (
                b"true"
                not in subprocess.run(
                    [
                        "busctl",
                        f"--address=unix:path={folder}/bus",
                        "call",
                        "org.freedesktop.DBus",
                        "/",
                        "org.freedesktop.DBus",
                        "NameHasOwner",
                        "s",
                        "org.exthost.Stay",
                    ],
                    capture_output=True,
                ).stdout
            ):
                time.sleep(0.01)
            yield environment
        finally:
            for process in filter(None, (stay, bus)):
                process.terminate()
                process.wait()


def await_socket(path):
    for _ in range(500):
        with socket.socket(socket.AF_UNIX) as attempt, contextlib.suppress(OSError):
            attempt.connect(str(path))
            return
        time.sleep(0.01)
    raise TimeoutError(path)


class Starts:
    """Times a daemon's start for a number of bundles, and the least time to scan their folders, in turn."""

    def __init__(self, programs, counts, each=4):
        self.programs, self.counts, self.each = programs, counts, each

    @contextlib.contextmanager
    def ready(self):
        daemon = self.programs.path("exthostd")
        with temporary("bundles") as self.folder:
            for count in {0, *self.counts}:
                (self.folder / str(count) / "apps").mkdir(parents=True)
                start.make(self.folder / str(count) / "apps", count, self.each)
                # The index is complete once its files have been unchanged for a moment.
                for _ in range(2):
                    self.start(daemon, count, "state")
            yield

    def start(self, daemon, count, state=None, settles=True):
        place = self.folder / str(count)
        return start.start(daemon, place, place / "apps", state and place / state, settles)

    def ours(self):
        daemon, figures = self.programs.path("exthostd"), {}
        for count in {0, *self.counts}:
            for name, (clock, processor) in {
                "read": self.start(daemon, count),
                "index": self.start(daemon, count, "state", settles=False),
            }.items():
                figures[f"{name}.{count}"] = microseconds([clock])
                figures[f"{name}.processor.{count}"] = microseconds([processor])
        return figures

    def limit(self):
        figures = {}
        for count in self.counts:
            lines = subprocess.run(
                [self.programs.path("walk"), self.folder / str(count) / "apps", "2"],
                check=True,
                capture_output=True,
                text=True,
            )
            for line in lines.stdout.splitlines():
                name, clock, _, _ = line.split()
                figures[f"{name}.{count}"] = microseconds([float(clock)])
        return figures

    def questions(self):
        return {
            f"match.{count}": microseconds(
                match.answers(
                    self.programs.path("exthostd"), self.folder / str(count) / "apps", count, 10 if count < 5000 else 2
                )
            )
            for count in self.counts
        }


def first_answer(kind, program):
    greeted, answered = ephemeral.one(kind, program)
    return {"greeting": microseconds([greeted]), "answer": microseconds([answered])}


def at_once(kind, program):
    return {"together": microseconds([ephemeral.together(kind, program)])}


IMPORTING = {
    "Package.swift": """// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "Share", dependencies: [.package(name: "exthost", path: "KIT")],
    targets: [.executableTarget(name: "Share", dependencies: [.product(name: "Social", package: "exthost")])])
""",
    "Sources/Share/Share.swift": """import Social

@main struct Main { static func main() { NSExtensionMain() } }

final class ShareViewController: SLComposeServiceViewController {
    override func didSelectPost() { extensionContext?.completeRequest(returningItems: [], completionHandler: nil) }
}
""",
}


def import_alone(root, commit=None):
    """Returns the CPU time of the clean debug build of a package that imports only Social, for this tree or for a
    commit.
    """
    with temporary("import") as folder:
        kit = root
        if commit:
            kit = folder / "kit"
            subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", str(root), str(kit)], check=True)
            if subprocess.run(["git", "-C", str(kit), "checkout", "--quiet", commit], capture_output=True).returncode:
                raise NotHere(f"commit {commit}")
        for name, text in IMPORTING.items():
            file = folder / "share" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace("KIT", str(kit)))
        where = ["--package-path", str(folder / "share")]
        subprocess.run(["swift", "package", *where, "resolve"], check=True, capture_output=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            ["swift", "build", *where, "--product", "Share"], check=True, capture_output=True, stdin=subprocess.DEVNULL
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return {"processor": ("us", [(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1e6])}


def clone_and_demo(root):
    """Times the way from a fresh clone to the first outcome."""
    with temporary("demo") as folder:
        began = time.perf_counter()
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(root), str(folder / "clone")], check=True)
        subprocess.run([str(folder / "clone/Scripts/demo")], check=True, capture_output=True, stdin=subprocess.DEVNULL)
        return {"demo": ("us", [(time.perf_counter() - began) * 1e6])}
