"""Tries one situation with a mounted folder, and prints what happens: trials.py NAME

The working directory has the folders "mount" and "provider", and the file "faults"; DRIVER is the mounting process.
"""

import contextlib
import errno
import fcntl
import os
import signal
import subprocess
import sys
import time

driver = int(os.environ["DRIVER"])


def show(name: str, body) -> None:
    try:
        result = body()
    except OSError as error:
        result = errno.errorcode.get(error.errno, error.errno)
    print(f"{name}: {result}", flush=True)


def faults(*lines: str) -> None:
    with open("faults.new", "w") as file:
        file.write("".join(line + "\n" for line in lines))
    os.rename("faults.new", "faults")


def read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


def write(path: str, contents: bytes) -> int:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        return os.write(file, contents)
    finally:
        os.close(file)


def expires() -> None:
    """Waits until the kernel asks again for what it was told: a second, and a margin for the coarse clock."""
    time.sleep(1.1)


def hang() -> None:
    write("mount/a", b"a")
    os.mkdir("mount/d")
    file = os.open("mount/a", os.O_RDWR)
    faults("any hang")
    expires()
    show("lookup", lambda: os.stat("mount/none"))
    show("list", lambda: os.listdir("mount/d"))
    show("create", lambda: write("mount/b", b""))
    show("mkdir", lambda: os.mkdir("mount/e"))
    show("unlink", lambda: os.unlink("mount/a"))
    show("rename", lambda: os.rename("mount/a", "mount/c"))
    show("write to an open file", lambda: os.pwrite(file, b"bcd", 0))
    show("read of an open file", lambda: os.pread(file, 10, 0))
    show("size of an open file", lambda: os.fstat(file).st_size)
    show("fsync", lambda: os.fsync(file))
    faults()
    show("fsync afterwards", lambda: os.fsync(file))
    show("list afterwards", lambda: sorted(os.listdir("mount")))
    show("provider", lambda: read("provider/a"))


def hang_and_end() -> None:
    faults("any hang")
    for _ in range(200):
        subprocess.Popen(["stat", "mount/none"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print("200 wait", flush=True)


def killed_user() -> None:
    """The limit is far away, so a user that ends has not waited for it."""
    faults("named hang")
    child = subprocess.Popen(["stat", "mount/none"])
    held = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import os, signal; signal.signal(signal.SIGUSR1, lambda *_: None);"
            "print('here', flush=True); os.stat('mount/none')",
        ],
        stdout=subprocess.PIPE,
    )
    held.stdout.readline()
    time.sleep(0.3)
    child.kill()
    print("killed:", child.wait())
    held.send_signal(signal.SIGUSR1)
    try:
        held.wait(1)
        print("a handled signal ended an operation")
    except subprocess.TimeoutExpired:
        print("a handled signal ends nothing")
    held.kill()
    print("killed:", held.wait())


def killed_driver() -> None:
    faults("named hang")
    child = subprocess.Popen(["stat", "mount/none"], stderr=subprocess.DEVNULL)
    file = os.open("mount", os.O_RDONLY)
    time.sleep(0.3)
    os.kill(driver, signal.SIGKILL)
    print("waiting user:", child.wait())
    show("later user", lambda: os.listdir(file))
    os.close(file)
    print("umount:", subprocess.run(["umount", "mount"]).returncode)
    show("mount point", lambda: os.listdir("mount"))


def codes() -> None:
    write("mount/a", b"a")
    for code in ("quota", "unreachable", "ended", "authentication", "missing", "space", "timeout"):
        faults(f"create fail {code}")
        show(f"create, {code}", lambda: write("mount/b", b""))
    faults()
    file = os.open("mount/a", os.O_WRONLY)
    os.pwrite(file, b"more", 1)
    faults("flush fail quota")
    show("fsync, quota", lambda: os.fsync(file))
    show("close, quota", lambda: os.close(os.dup(file)))
    faults()
    show("fsync afterwards", lambda: os.fsync(file))
    show("provider", lambda: read("provider/a"))
    with open("provider/readonly", "w") as plain:
        plain.write("x")
    show("mode of what may be read only", lambda: oct(os.stat("mount/readonly").st_mode))
    show("write to it", lambda: write("mount/readonly", b"y"))
    show("remove it", lambda: os.unlink("mount/readonly"))
    show("rename it", lambda: os.rename("mount/readonly", "mount/x"))


def hostile() -> None:
    names = sorted(os.listdir("mount"))
    print("names:", ascii(names))
    for name in ("good", "twice", "more", "less", "unknown", "negative", "huge", "time", "caf\u00e9", "cafe\u0301"):
        show(ascii(name), lambda name=name: (os.stat("mount/" + name).st_size, read("mount/" + name)))
    show("size of an open file", lambda: os.fstat(os.open("mount/more", os.O_RDONLY)).st_size)
    show("link", lambda: os.readlink("mount/link"))
    show("empty link", lambda: os.readlink("mount/nolink"))
    show("another name", lambda: os.stat("mount/wrong"))
    show("another folder", lambda: os.stat("mount/elsewhere"))
    show("top folder in itself", lambda: os.stat("mount/up"))
    show("cycle", lambda: os.listdir("mount/a/b"))
    show("into the cycle", lambda: os.stat("mount/a/b/a"))
    show("stranger", lambda: os.stat("mount/stranger"))
    show("deep", lambda: os.path.isdir("mount/" + "/".join(["deep"] * 300)))
    show("time", lambda: os.stat("mount/time").st_mtime)
    show("year", lambda: time.gmtime(os.stat("mount/future").st_mtime).tm_year)
    show("attributes", lambda: os.listxattr("mount/attributes"))
    show("created as another name", lambda: write("mount/new", b""))
    show("created as another kind", lambda: os.mkdir("mount/folder"))
    show("renamed to nothing", lambda: os.rename("mount/good", "mount/better"))
    show("many", lambda: len(os.listdir("mount/many")))


def too_many() -> None:
    show("too many", lambda: len(os.listdir("mount/many")))
    show("the rest", lambda: read("mount/good"))


def changes() -> None:
    """The provider tells, and the kernel learns of it: sizes and contents are asked for until they are new."""
    with open("provider/a", "w") as file:
        file.write("old")
    show("old", lambda: read("mount/a"))
    reader = os.open("mount/a", os.O_RDONLY)
    show("nothing", lambda: os.stat("mount/b"))
    with open("provider/a", "w") as file:
        file.write("new")
    # The clock of files is coarse: both contents could have one time, and so one version.
    os.utime("provider/a", (978307200, 978307200))
    # By this the mount knows the new version before the provider tells of it, and the kernel's cache has the old text.
    os.listdir("mount")
    with open("provider/b", "w") as file:
        file.write("b")
    faults("announce a", "announce b")
    os.kill(driver, signal.SIGUSR1)
    until(lambda: read("mount/a") == b"new")
    show("new", lambda: read("mount/a"))
    show("something", lambda: read("mount/b"))
    show("the reader of before", lambda: os.pread(reader, 10, 0))
    os.unlink("provider/b")
    faults("announce-deletion b")
    os.kill(driver, signal.SIGUSR1)
    until(lambda: not os.path.exists("mount/b"))
    show("deleted", lambda: read("mount/b"))
    faults("announce-anything")
    os.kill(driver, signal.SIGUSR1)
    show("afterwards", lambda: os.listdir("mount"))


def until(condition) -> None:
    for _ in range(2_000):
        if condition():
            return
        time.sleep(0.01)
    sys.exit("what is waited for does not come")


def ended_provider() -> None:
    faults("end")
    os.kill(driver, signal.SIGUSR1)
    until(lambda: not os.path.ismount("mount"))
    print("unmounted")


def unmounted() -> None:
    write("mount/a", b"a")
    busy = os.open("mount/a", os.O_RDWR)
    print("umount while busy:", subprocess.run(["umount", "mount"], stderr=subprocess.DEVNULL).returncode)
    os.pwrite(busy, b"last", 0)
    os.close(busy)
    print("umount:", subprocess.run(["umount", "mount"]).returncode)
    show("mount point", lambda: os.listdir("mount"))


def left_open() -> None:
    """A file with changes, which a process has open when the mount ends, and which it has mapped."""
    import mmap

    write("mount/a", b"a" * 100)
    file = os.open("mount/a", os.O_RDWR)
    os.pwrite(file, b"changed", 0)
    area = mmap.mmap(os.open("mount/a", os.O_RDWR), 100)
    area[50:56] = b"mapped"
    ready, told = os.pipe()
    if os.fork() == 0:
        os.write(told, b"1")
        while True:
            signal.pause()
    os.read(ready, 1)
    print("left", flush=True)


def read_only() -> None:
    with open("provider/a", "w") as file:
        file.write("a")
    show("read", lambda: read("mount/a"))
    show("write", lambda: write("mount/a", b""))
    show("create", lambda: write("mount/b", b""))
    show("mkdir", lambda: os.mkdir("mount/d"))
    show("unlink", lambda: os.unlink("mount/a"))


def together() -> None:
    """Eight processes append to one file, and each works in a folder of its own."""
    write("mount/shared", b"")
    children = []
    for worker in range(8):
        child = os.fork()
        if child == 0:
            os.mkdir(f"mount/{worker}")
            for number in range(20):
                file = os.open("mount/shared", os.O_WRONLY | os.O_APPEND)
                fcntl.flock(file, fcntl.LOCK_EX)
                os.write(file, f"{worker} {number}\n".encode())
                os.close(file)
                write(f"mount/{worker}/{number}", b"x" * 10_000)
                os.rename(f"mount/{worker}/{number}", f"mount/{worker}/renamed{number}")
                # Its worker may not have made the folder yet, or have renamed the file since.
                with contextlib.suppress(FileNotFoundError):
                    for entry in os.scandir("mount/0"):
                        entry.stat()
            os._exit(0)
        children.append(child)
    print([os.waitpid(child, 0)[1] for child in children])
    lines = read("mount/shared").decode().splitlines()
    print(len(lines), len(set(lines)), [len(os.listdir(f"mount/{worker}")) for worker in range(8)])


globals()[sys.argv[1]]()
