"""start: times a daemon from its start until it serves, by the number of bundles.

The bundles are typical: XML, half with a dictionary as rule and half with a predicate. The times are wall time and CPU
time, because the threads of a start run in parallel.
"""

import os
import pathlib
import plistlib
import socket
import subprocess
import time

POINTS = [
    "com.apple.share-services",
    "com.apple.ui-services",
    "com.apple.widget-extension",
    "com.apple.photo-editing",
    "com.apple.keyboard-service",
    "com.apple.fileprovider-nonui",
]


def make(folder, count, each=4):
    """Creates `count` bundles, with a number of them in each app."""
    for number in range(count):
        owner = number // each
        app = folder / f"App{owner}.app"
        bundle = app / "PlugIns" / f"Ext{number}.appex"
        bundle.mkdir(parents=True)
        if number % each == 0:
            (app / "Info.plist").write_bytes(plistlib.dumps({"CFBundleIdentifier": f"org.example.app{owner}"}))
        rule = (
            {"NSExtensionActivationSupportsImageWithMaxCount": 3, "NSExtensionActivationSupportsText": True}
            if number % 2
            else (
                "SUBQUERY (extensionItems, $item, SUBQUERY ($item.attachments, $a, "
                "ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO "
                f'"public.image").@count == $item.attachments.@count).@count == {number % 3 + 1}'
            )
        )
        (bundle / "Info.plist").write_bytes(
            plistlib.dumps(
                {
                    "CFBundleIdentifier": f"org.example.app{owner}.ext{number}",
                    "CFBundleDisplayName": f"Extension number {number}",
                    "CFBundleExecutable": "ext",
                    "CFBundleVersion": str(number + 1),
                    "CFBundleShortVersionString": f"1.{number}",
                    "CFBundlePackageType": "XPC!",
                    "CFBundleInfoDictionaryVersion": "6.0",
                    "CFBundleDevelopmentRegion": "en",
                    "NSExtension": {
                        "NSExtensionPointIdentifier": POINTS[number % 6],
                        "NSExtensionPrincipalClass": f"Ext{number}.Handler",
                        "NSExtensionAttributes": {"NSExtensionActivationRule": rule, "PrimaryLanguage": "en-US"},
                    },
                }
            )
        )
        (bundle / "ext").write_bytes(b"#!/bin/true\n")
        (bundle / "ext").chmod(0o755)


def start(daemon, folder, apps, state=None, settles=True):
    """Returns the milliseconds from the start to READY=1, as wall and CPU time. With `settles` the daemon first writes
    its index.
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    place = str(folder / "notify")
    listening.bind(place)
    (folder / "run").mkdir(exist_ok=True)
    environment = {
        "NOTIFY_SOCKET": place,
        "XDG_RUNTIME_DIR": str(folder / "run"),
        "HOME": "/nonexistent",
        "PATH": os.environ["PATH"],
        "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""),
    }
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
    """Returns the CPU time of the process in milliseconds, including ended threads. The clock has the number of
    clock_getcpuclockid(3).
    """
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e6


def settle(pid):
    """Waits until all threads are idle: the daemon writes the index after the start."""
    before = None
    while True:
        now = pathlib.Path(f"/proc/{pid}/stat").read_text().split()[13:15]
        if now == before:
            return
        before = now
        time.sleep(0.3)
