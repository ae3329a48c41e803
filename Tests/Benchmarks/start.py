#!/usr/bin/env python3
"""How long a daemon takes from its start until it serves, by the number of bundles: start.py EXTHOSTD [COUNT…]

Three starts for each count, in milliseconds, the best of several, as others' work only adds to it: with nothing kept (--ephemeral reads every bundle), the first with a
state folder (reads them, too), and a later one, which has the index. What the daemon takes without any bundle stands in the first
line; take it off to see what the bundles cost. Bundles are as people's are: XML, half with a dictionary as rule and half with a
predicate, four in an app.
"""

import os
import pathlib
import plistlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROUNDS = 15
POINTS = ["com.apple.share-services", "com.apple.ui-services", "com.apple.widget-extension", "com.apple.photo-editing",
          "com.apple.keyboard-service", "com.apple.fileprovider-nonui"]


def make(folder, count, each=4):
    """Bundles, so many in an app."""
    for number in range(count):
        owner = number // each
        app = folder / f"App{owner}.app"
        bundle = app / "PlugIns" / f"Ext{number}.appex"
        bundle.mkdir(parents=True)
        if number % each == 0:
            (app / "Info.plist").write_bytes(plistlib.dumps({"CFBundleIdentifier": f"org.example.app{owner}"}))
        rule = {"NSExtensionActivationSupportsImageWithMaxCount": 3, "NSExtensionActivationSupportsText": True} if number % 2 else (
            'SUBQUERY (extensionItems, $item, SUBQUERY ($item.attachments, $a, ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO '
            f'"public.image").@count == $item.attachments.@count).@count == {number % 3 + 1}')
        (bundle / "Info.plist").write_bytes(plistlib.dumps({
            "CFBundleIdentifier": f"org.example.app{owner}.ext{number}", "CFBundleDisplayName": f"Extension number {number}",
            "CFBundleExecutable": "ext", "CFBundleVersion": str(number + 1), "CFBundleShortVersionString": f"1.{number}",
            "CFBundlePackageType": "XPC!", "CFBundleInfoDictionaryVersion": "6.0", "CFBundleDevelopmentRegion": "en",
            "NSExtension": {"NSExtensionPointIdentifier": POINTS[number % 6], "NSExtensionPrincipalClass": f"Ext{number}.Handler",
                            "NSExtensionAttributes": {"NSExtensionActivationRule": rule, "PrimaryLanguage": "en-US"}}}))
        (bundle / "ext").write_bytes(b"#!/bin/true\n")
        (bundle / "ext").chmod(0o755)


def start(daemon, folder, apps, state=None, settles=True):
    """Milliseconds from the start to READY=1: on the clock, and on the processor. One that settles ends when its index is written."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    place = str(folder / "notify")
    listening.bind(place)
    (folder / "run").mkdir(exist_ok=True)
    environment = {"NOTIFY_SOCKET": place, "XDG_RUNTIME_DIR": str(folder / "run"), "HOME": "/nonexistent", "PATH": os.environ["PATH"],
                   "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")}
    options = ["--bus", "none", "--applications", str(apps), "--log-level", "critical"]
    if state:
        environment["XDG_STATE_HOME"] = str(state)
    else:
        options.append("--ephemeral")
    began = time.perf_counter()
    process = subprocess.Popen([daemon, *options], env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    listening.settimeout(60)
    while b"READY=1" not in listening.recv(4096):
        pass
    taken = (time.perf_counter() - began) * 1000, processor(process.pid)
    if state and settles:
        settle(process.pid)
    process.terminate()
    process.wait()
    listening.close()
    os.unlink(place)
    return taken


def processor(pid):
    """Milliseconds that its threads have run, those that have ended among them: its clock, by the number of clock_getcpuclockid(3)."""
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e6


def settle(pid):
    """Until its threads have nothing left to do: the index is written after the start."""
    before = None
    while True:
        now = pathlib.Path(f"/proc/{pid}/stat").read_text().split()[13:15]
        if now == before:
            return
        before = now
        time.sleep(0.3)


def main():
    daemon, counts = sys.argv[1], [int(text) for text in sys.argv[2:]] or [0, 10, 100, 1000, 10_000]
    print("bundles   without state    first with state    with index      (ms on the clock / on the processor)")
    for count in counts:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="exthost-start-"))
        try:
            apps = folder / "apps"
            apps.mkdir()
            make(apps, count)
            rounds = ROUNDS if count < 5000 else 5
            figures = [best(start(daemon, folder, apps) for _ in range(rounds))]
            first = []
            for _ in range(5):
                shutil.rmtree(folder / "state", ignore_errors=True)
                first.append(start(daemon, folder, apps, folder / "state"))
            figures.append(best(first))
            figures.append(best(start(daemon, folder, apps, folder / "state") for _ in range(rounds)))
            print(f"{count:7}" + "".join(f"   {wall:7.1f} / {run:6.1f}" for wall, run in figures), flush=True)
        finally:
            shutil.rmtree(folder)


def best(runs):
    runs = list(runs)
    return min(wall for wall, _ in runs), min(run for _, run in runs)


if __name__ == "__main__":
    main()
