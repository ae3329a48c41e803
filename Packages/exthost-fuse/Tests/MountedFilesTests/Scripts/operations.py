"""Performs the operations of the file system interface in a folder, and prints the result of each: operations.py FOLDER

The same lines are expected on a plain folder and on a mounted provider, except those that docs/file-providers.md lists.
"""

import ctypes
import errno
import fcntl
import mmap
import os
import stat
import sys

libc = ctypes.CDLL(None, use_errno=True)


def show(name: str, body) -> None:
    try:
        result = body()
    except OSError as error:
        result = errno.errorcode.get(error.errno, error.errno)
    print(f"{name}: {result}", flush=True)


def write(path: str, contents: bytes, flags: int = os.O_WRONLY | os.O_CREAT | os.O_TRUNC) -> int:
    file = os.open(path, flags, 0o644)
    try:
        return os.write(file, contents)
    finally:
        os.close(file)


def read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


def facts(path: str) -> str:
    found = os.lstat(path)
    kind = stat.filemode(found.st_mode)
    return f"{kind} {found.st_nlink if not stat.S_ISDIR(found.st_mode) else '-'} {found.st_size}"


def rename2(old: str, new: str, flags: int) -> int:
    if libc.renameat2(-100, old.encode(), -100, new.encode(), flags) != 0:
        raise OSError(ctypes.get_errno(), "renameat2")
    return 0


def files() -> None:
    show("create", lambda: write("a", b"hello"))
    show("read", lambda: read("a"))
    show("facts", lambda: facts("a"))
    show("missing", lambda: read("none"))
    show("create exclusively", lambda: write("a", b"", os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    show("append", lambda: write("a", b" world", os.O_WRONLY | os.O_APPEND))
    show("after append", lambda: read("a"))
    show("truncate", lambda: os.truncate("a", 3))
    show("after truncate", lambda: read("a"))
    show("extend", lambda: os.truncate("a", 6))
    show("after extend", lambda: read("a"))
    show("write at a distance", lambda: _at("a", 10_000))
    show("after the distance", lambda: (len(read("a")), read("a")[-3:]))
    show("long name", lambda: write("n" * 255, b""))
    show("too long name", lambda: write("n" * 256, b""))
    show("look up too long a name", lambda: facts("n" * 256))
    show("name that is no text", lambda: write(b"\xff\xfe".decode("utf8", "surrogateescape"), b""))
    show("open a folder", lambda: write(".", b""))
    show("open below a file", lambda: read("a/b"))
    show("fifo", lambda: os.mkfifo("fifo"))
    show("mknod", lambda: (os.mknod("node", 0o644 | stat.S_IFREG), facts("node")))
    show("read only descriptor", lambda: _write_to(os.open("a", os.O_RDONLY)))
    show("empty file", lambda: (write("empty", b""), read("empty")))
    show("large file", lambda: (write("large", b"x" * 3_000_000), len(read("large"))))
    show("size of a large file", lambda: os.stat("large").st_size)
    show("blocks are there", lambda: os.stat("large").st_blocks > 5_000)


def _at(path: str, offset: int) -> int:
    file = os.open(path, os.O_RDWR)
    try:
        return os.pwrite(file, b"end", offset)
    finally:
        os.close(file)


def _write_to(file: int) -> int:
    try:
        return os.write(file, b"x")
    finally:
        os.close(file)


def folders() -> None:
    show("mkdir", lambda: os.mkdir("d"))
    show("mkdir again", lambda: os.mkdir("d"))
    show("mkdir over a file", lambda: os.mkdir("a"))
    show("fill", lambda: [write(f"d/{number:03}", b"") for number in range(300)].count(0))
    show("list", lambda: sorted(os.listdir("d")) == [f"{number:03}" for number in range(300)])
    show("scandir", lambda: sum(entry.is_file() for entry in os.scandir("d")))
    show("rmdir of a full one", lambda: os.rmdir("d"))
    show("unlink of a folder", lambda: _unlink("d"))
    show("rmdir of a file", lambda: os.rmdir("a"))
    show("remove while listing", _remove_while_listing)
    show("list afterwards", lambda: os.listdir("d"))
    show("rmdir", lambda: os.rmdir("d"))
    show("list what is gone", lambda: os.listdir("d"))
    show("create in what is gone", lambda: write("d/x", b""))
    show("deep", lambda: os.makedirs("/".join(["e"] * 100)))
    show("deep is there", lambda: os.path.isdir("/".join(["e"] * 100)))
    show("dot and dot-dot", lambda: os.stat("e/..").st_ino == os.stat(".").st_ino)
    show("rewind", _rewind)


def _unlink(path: str) -> None:
    os.unlink(path)


def _remove_while_listing() -> int:
    count = 0
    with os.scandir("d") as entries:
        for entry in entries:
            os.unlink(entry.path)
            count += 1
    return count


def _rewind() -> tuple[int, int]:
    os.mkdir("r")
    folder = os.open("r", os.O_RDONLY)
    first = len(os.listdir(folder))
    write("r/new", b"")
    second = len(os.listdir(folder))
    os.close(folder)
    return first, second


def names() -> None:
    write("one", b"1")
    write("two", b"2")
    show("rename", lambda: os.rename("one", "three"))
    show("after rename", lambda: (os.path.exists("one"), read("three")))
    show("rename over", lambda: os.rename("three", "two"))
    show("after rename over", lambda: (os.path.exists("three"), read("two")))
    show("rename to itself", lambda: os.rename("two", "two"))
    show("rename of nothing", lambda: os.rename("none", "two"))
    write("four", b"4")
    show("RENAME_NOREPLACE", lambda: rename2("two", "four", 1))
    show("RENAME_NOREPLACE to a free name", lambda: rename2("two", "five", 1))
    show("RENAME_EXCHANGE", lambda: rename2("four", "five", 2))
    os.makedirs("f/full/x")
    os.makedirs("f/void")
    os.makedirs("f/other/y")
    show("folder over a full one", lambda: os.rename("f/other", "f/full"))
    show("folder over an empty one", lambda: os.rename("f/other", "f/void"))
    show("what it has", lambda: os.listdir("f/void"))
    show("folder over a file", lambda: os.rename("f/void", "four"))
    show("file over a folder", lambda: os.rename("four", "f/void"))
    show("folder into itself", lambda: os.rename("f", "f/void/f"))
    show("move", lambda: (os.rename("four", "f/four"), os.listdir("f").count("four")))
    show("link", lambda: os.link("f/four", "hard"))
    show("symlink", lambda: (os.symlink("f/four", "soft"), os.readlink("soft"), facts("soft")))
    show("symlink again", lambda: os.symlink("x", "soft"))
    show("through symlink", lambda: read("soft"))
    show("dangling", lambda: (os.symlink("none", "dangling"), os.path.lexists("dangling")))
    show("through dangling", lambda: read("dangling"))
    show("long symlink", lambda: (os.symlink("x" * 4000, "longlink"), len(os.readlink("longlink"))))
    show("cycle of symlinks", lambda: (os.symlink("cycle", "cycle"), read("cycle")))
    show("O_NOFOLLOW", lambda: os.open("soft", os.O_RDONLY | os.O_NOFOLLOW))
    show("readlink of a file", lambda: os.readlink("f/four"))
    show("unlink of a symlink", lambda: (os.unlink("soft"), read("f/four")))


def open_files() -> None:
    show("unlink while open", _unlink_open)
    show("replace while open", _replace_open)
    show("rename while open", _rename_open)
    show("two descriptors", _two_descriptors)
    show("reader sees a writer", _reader_first)
    show("mmap", _mmap)
    show("mmap after close", _mmap_closed)
    show("private mmap", _private)
    show("fallocate", lambda: _with("alloc", lambda file: os.posix_fallocate(file, 0, 5000)))
    show("after fallocate", lambda: os.stat("alloc").st_size)
    show("SEEK_HOLE", lambda: _with("large", lambda file: os.lseek(file, 0, os.SEEK_HOLE)))
    show("SEEK_DATA at the end", lambda: _with("large", lambda file: os.lseek(file, 3_000_000, os.SEEK_DATA)))
    show("copy_file_range", _copy_range)
    show("sendfile", _send)
    show("O_DIRECT read", lambda: _with("large", lambda file: len(os.read(file, 4096)), os.O_RDONLY | os.O_DIRECT))
    show("fsync", lambda: _with("a", os.fsync))
    show("fdatasync", lambda: _with("a", os.fdatasync))
    show("fsync of a folder", lambda: _with(".", os.fsync, os.O_RDONLY))
    show("flock", lambda: _with("a", lambda file: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)))
    show("lock", lambda: _with("a", lambda file: fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)))
    show("other process's flock", _flock)
    show("O_TMPFILE", lambda: os.close(os.open(".", os.O_TMPFILE | os.O_RDWR)))
    show("execute", _execute)


def _with(path: str, body, flags: int = os.O_RDWR | os.O_CREAT):
    file = os.open(path, flags, 0o644)
    try:
        return body(file)
    finally:
        os.close(file)


def _unlink_open():
    write("gone", b"still")
    file = os.open("gone", os.O_RDWR)
    os.unlink("gone")
    os.pwrite(file, b"S", 0)
    os.ftruncate(file, 3)
    result = os.pread(file, 10, 0), os.fstat(file).st_nlink, os.path.exists("gone")
    write("gone", b"new one")
    result += (os.pread(file, 10, 0), read("gone"))
    os.close(file)
    return (*result, read("gone"))


def _replace_open():
    write("old", b"old")
    write("new", b"new")
    file = os.open("old", os.O_RDWR)
    os.rename("new", "old")
    os.pwrite(file, b"OLD", 0)
    result = os.pread(file, 10, 0), read("old")
    os.close(file)
    return (*result, read("old"))


def _rename_open():
    file = os.open("before", os.O_RDWR | os.O_CREAT, 0o644)
    os.write(file, b"one")
    os.rename("before", "after")
    os.write(file, b"two")
    os.close(file)
    return os.path.exists("before"), read("after")


def _two_descriptors():
    one = os.open("shared", os.O_RDWR | os.O_CREAT, 0o644)
    two = os.open("shared", os.O_RDWR)
    os.pwrite(one, b"one", 0)
    result = os.pread(two, 10, 0)
    os.pwrite(two, b"two", 3)
    os.close(two)
    result += os.pread(one, 10, 0)
    os.close(one)
    return result


def _reader_first():
    write("seen", b"before")
    reader = os.open("seen", os.O_RDONLY)
    result = os.pread(reader, 10, 0)
    write("seen", b"afterwards")
    result += os.pread(reader, 20, 0)
    os.close(reader)
    return result, os.stat("seen").st_size


def _mmap():
    file = os.open("mapped", os.O_RDWR | os.O_CREAT, 0o644)
    os.ftruncate(file, 10_000)
    area = mmap.mmap(file, 10_000)
    area[5000:5005] = b"hello"
    area.flush()
    result = os.pread(file, 5, 5000)
    os.pwrite(file, b"J", 5000)
    result += area[5000:5005]
    area.close()
    os.close(file)
    return result, read("mapped")[5000:5005]


def _mmap_closed():
    file = os.open("mapped", os.O_RDWR)
    area = mmap.mmap(file, 10_000)
    os.close(file)
    area[0:4] = b"late"
    area.close()
    return read("mapped")[0:4]


def _private():
    file = os.open("mapped", os.O_RDONLY)
    area = mmap.mmap(file, 10_000, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    area[0:4] = b"mine"
    result = bytes(area[0:4]), os.pread(file, 4, 0)
    area.close()
    os.close(file)
    return result


def _copy_range():
    source, target = os.open("large", os.O_RDONLY), os.open("copied", os.O_RDWR | os.O_CREAT, 0o644)
    left = 3_000_000
    while left > 0 and (count := os.copy_file_range(source, target, left)) > 0:
        left -= count
    os.close(source)
    os.close(target)
    return left, read("copied") == read("large")


def _send():
    source, target = os.open("large", os.O_RDONLY), os.open("sent", os.O_RDWR | os.O_CREAT, 0o644)
    count = os.sendfile(target, source, 0, 100_000)
    os.close(source)
    os.close(target)
    return count, len(read("sent"))


def _flock():
    file = os.open("a", os.O_RDWR)
    fcntl.flock(file, fcntl.LOCK_EX)
    child = os.fork()
    if child == 0:
        other = os.open("a", os.O_RDWR)
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os._exit(1)
        except BlockingIOError:
            os._exit(0)
    status = os.waitpid(child, 0)[1]
    os.close(file)
    return status


def _execute():
    write("program", b"#!/bin/sh\nexit 7\n")
    os.chmod("program", 0o755)
    child = os.fork()
    if child == 0:
        os.execv("./program", ["program"])
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def attributes() -> None:
    show("chmod x", lambda: (os.chmod("a", 0o755), facts("a")))
    show("chmod -x", lambda: (os.chmod("a", 0o644), facts("a")))
    show("chmod 600", lambda: (os.chmod("a", 0o600), facts("a")))
    show("setuid", lambda: os.chmod("a", 0o4755))
    os.chmod("a", 0o644)
    show("chown to itself", lambda: os.chown("a", os.getuid(), os.getgid()))
    show("times", lambda: (os.utime("a", (5, 1_500_000_000)), int(os.stat("a").st_mtime)))
    show("digits of times", lambda: (os.utime("a", ns=(5, 1_500_000_000_123_456_789)), os.stat("a").st_mtime_ns))
    show("time of access", lambda: (os.utime("a", (1_400_000_000, 1_500_000_000)), int(os.stat("a").st_atime)))
    show("times of a folder", lambda: (os.utime("f", (5, 1_500_000_000)), int(os.stat("f").st_mtime)))
    show("time before close", _time_open)
    show("time moves with a write", lambda: (write("a", b"x"), os.stat("a").st_mtime > 1_600_000_000))
    show("setxattr", lambda: os.setxattr("a", "user.one", b"1"))
    show("getxattr", lambda: os.getxattr("a", "user.one"))
    show("listxattr", lambda: os.listxattr("a"))
    show("XATTR_CREATE", lambda: os.setxattr("a", "user.one", b"2", os.XATTR_CREATE))
    show("XATTR_REPLACE", lambda: os.setxattr("a", "user.two", b"2", os.XATTR_REPLACE))
    show("removexattr", lambda: (os.removexattr("a", "user.one"), os.listxattr("a")))
    show("removexattr again", lambda: os.removexattr("a", "user.one"))
    show("getxattr of none", lambda: os.getxattr("a", "user.none"))
    show("other namespace", lambda: os.getxattr("a", "unknown.none"))
    show("same number", lambda: os.stat("a").st_ino == os.stat("a").st_ino)
    show("space", lambda: os.statvfs(".").f_bavail > 0)
    show("longest name", lambda: os.statvfs(".").f_namemax)


def _time_open():
    file = os.open("timed", os.O_RDWR | os.O_CREAT, 0o644)
    os.write(file, b"x")
    os.utime(file, (5, 1_500_000_000))
    os.close(file)
    return int(os.stat("timed").st_mtime)


os.umask(0o022)
os.chdir(sys.argv[1])
for part in (files, folders, names, open_files, attributes):
    part()
