#!/usr/bin/env python3
"""broker: measures the memory of dbus-broker with its launcher at a number of idle clients: broker.py CLIENTS.

Run it in mount and pid namespaces. The launcher needs a journal and a bus with a systemd that activates services. Here
it gets a socket whose data is discarded, and a dbus-daemon. The result is the resident kilobytes of broker and
launcher.
"""

import os
import pathlib
import resource
import socket
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).with_name("bench")))

import ephemeral
import measures


def resident(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return float(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")))


def swallow(journal):
    while journal.recv(65536):
        pass


def main():
    count = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    os.makedirs("/run/systemd", exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", "/run/systemd"], check=True)
    os.mkdir("/run/systemd/journal")
    journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    journal.bind("/run/systemd/journal/socket")
    threading.Thread(target=swallow, args=(journal,), daemon=True).start()
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "bus.conf").write_text(measures.CONFIGURATION.format(folder=folder))
    aside = ephemeral.Bus(None)
    address = aside.process.stdout.readline().decode().strip()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(folder / "bus"))
        door.listen(1000)
        launch = [
            "sh",
            "-c",
            "export LISTEN_PID=$$; "
            f"exec dbus-broker-launch --scope user --config-file {folder}/bus.conf 3<&{door.fileno()}",
        ]
        # A client waits no longer than this for a bus that does not answer.
        socket.setdefaulttimeout(60)
        launcher = subprocess.Popen(
            launch,
            pass_fds=[door.fileno()],
            env={"LISTEN_FDS": "1", "PATH": os.environ["PATH"], "DBUS_SESSION_BUS_ADDRESS": address},
        )
        # The launcher has it alone, so its end ends the connections that nobody has accepted.
        door.close()
        clients = [client(str(folder / "bus")) for _ in range(count)]
        children = pathlib.Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text().split()
        print("rss KB", resident(launcher.pid) + sum(map(resident, children)), flush=True)
        for one in clients:
            one.close()
    # The pid namespace ends all processes with this one.
    os._exit(0)


def client(path):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    connection.sendall(
        b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\nBEGIN\r\n" + ephemeral.Bus.hello()
    )
    while answer := connection.recv(4096):
        if b"NameAcquired" in answer:
            return connection
    raise SystemExit("broker: the bus has closed the connection")


if __name__ == "__main__":
    main()
