"""Performs random operations in a folder and compares each result with a model in memory.

    random_operations.py FOLDER SEED STEPS MODEL    performs them; MODEL gets what the folder must have at the end
    random_operations.py --compare FOLDER MODEL     compares another folder with that

An operation may fail with EIO if the environment has FAULTS. It has then done nothing. fsync is repeated until it
succeeds.
"""

import errno
import hashlib
import json
import mmap
import os
import random
import stat
import sys
import traceback

LONGEST = 256 * 1024
faulty = "FAULTS" in os.environ


class Difference(Exception):
    pass


def digest(contents: bytes) -> str:
    return f"{len(contents)} {hashlib.sha256(contents).hexdigest()}"


def again(body):
    """Repeats what may fail by demand."""
    for _ in range(100):
        try:
            return body()
        except OSError as error:
            if not faulty or error.errno != errno.EIO:
                raise
    raise Difference("an operation fails again and again")


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def tree(folder: str, below: str = "") -> dict[str, str]:
    found = {}
    for name in again(lambda: os.listdir(os.path.join(folder, below))):
        place = os.path.join(below, name)
        path = os.path.join(folder, place)
        mode = again(lambda path=path: os.lstat(path)).st_mode
        if stat.S_ISDIR(mode):
            found[place] = "folder"
            found.update(tree(folder, place))
        elif stat.S_ISLNK(mode):
            found[place] = "link " + again(lambda path=path: os.readlink(path))
        else:
            found[place] = digest(again(lambda path=path: read(path)))
    return found


class Trial:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.folders = ["."]
        self.files: dict[str, bytearray] = {}
        self.links: dict[str, str] = {}
        self.open: dict[int, str | None] = {}
        self.gone: dict[int, bytearray] = {}
        self.failures = 0
        self.steps = 0

    def contents(self, file: int) -> bytearray:
        name = self.open[file]
        return self.gone[file] if name is None else self.files[name]

    def free_name(self) -> str:
        while True:
            name = os.path.join(self.random.choice(self.folders), f"n{self.random.randrange(60)}")
            if name not in self.files and name not in self.links and name not in self.folders:
                return name

    def some_file(self) -> str | None:
        return self.random.choice(sorted(self.files)) if self.files else None

    def some_open(self) -> int | None:
        return self.random.choice(sorted(self.open)) if self.open else None

    def orphan(self, name: str) -> None:
        for file, other in self.open.items():
            if other == name:
                self.open[file] = None
                self.gone[file] = self.files[name]

    def step(self) -> None:
        self.steps += 1
        kinds = "create open close read read write write append truncate ftruncate map fsync rename replace unlink"
        kinds += " stat list mkdir rmdir symlink reopen whole"
        getattr(self, "do_" + self.random.choice(kinds.split()))()

    def do_create(self) -> None:
        if len(self.open) >= 12:
            return self.do_close()
        name = self.free_name()
        try:
            file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        except OSError as error:
            # The file may have been made, and not have been opened.
            if not faulty or error.errno != errno.EIO:
                raise
            self.failures += 1
            if again(lambda: name.split("/")[-1] in os.listdir(os.path.dirname(name) or ".")):
                self.files[name] = bytearray()
            return None
        self.open[file] = name
        self.files[name] = bytearray()
        return None

    def do_open(self) -> None:
        name = self.some_file()
        if name is None or len(self.open) >= 12:
            return
        self.open[os.open(name, os.O_RDWR)] = name

    def do_reopen(self) -> None:
        file = self.some_open()
        if file is None or self.open[file] is None:
            return
        name = self.open[file]
        self.close(file)
        self.open[again(lambda: os.open(name, os.O_RDWR))] = name

    def close(self, file: int) -> None:
        again(lambda: os.fsync(file))
        os.close(file)
        del self.open[file]
        self.gone.pop(file, None)

    def do_close(self) -> None:
        file = self.some_open()
        if file is not None:
            self.close(file)

    def do_read(self) -> None:
        file = self.some_open()
        if file is None:
            return
        model = self.contents(file)
        offset = self.random.randrange(len(model) + 100)
        count = self.random.choice([1, 100, 4096, 70_000])
        self.check("read", os.pread(file, count, offset), bytes(model[offset : offset + count]))

    def do_whole(self) -> None:
        name = self.some_file()
        if name is None:
            return
        with open(name, "rb") as file:
            self.check("contents of " + name, file.read(), bytes(self.files[name]))

    def write(self, file: int, offset: int, data: bytes) -> None:
        model = self.contents(file)
        if os.pwrite(file, data, offset) != len(data):
            raise Difference("a write was short")
        if offset > len(model):
            model.extend(bytes(offset - len(model)))
        model[offset : offset + len(data)] = data

    def data(self) -> bytes:
        return self.random.randbytes(self.random.choice([1, 17, 1000, 4096, 5000, 40_000]))

    def do_write(self) -> None:
        file = self.some_open()
        if file is not None:
            offset = self.random.randrange(min(len(self.contents(file)) + 5000, LONGEST))
            self.write(file, offset, self.data())

    def do_append(self) -> None:
        file = self.some_open()
        if file is not None and len(self.contents(file)) < LONGEST:
            self.write(file, len(self.contents(file)), self.data())

    def do_ftruncate(self) -> None:
        file = self.some_open()
        if file is None:
            return
        size = self.random.randrange(LONGEST)
        model = self.contents(file)
        os.ftruncate(file, size)
        del model[size:]
        model.extend(bytes(size - len(model)))

    def do_truncate(self) -> None:
        name = self.some_file()
        # It also delivers, so it may have changed the file and fail.
        if name is None or faulty:
            return
        size = self.random.randrange(LONGEST)
        os.truncate(name, size)
        model = self.files[name]
        del model[size:]
        model.extend(bytes(size - len(model)))

    def do_map(self) -> None:
        file = self.some_open()
        if file is None or not self.contents(file):
            return
        model = self.contents(file)
        area = mmap.mmap(file, len(model))
        try:
            self.check("mapped", bytes(area), bytes(model))
            data = self.data()[: len(model)]
            offset = self.random.randrange(len(model) - len(data) + 1)
            area[offset : offset + len(data)] = data
            model[offset : offset + len(data)] = data
            if self.random.random() < 0.5:
                area.flush()
                self.check("read after msync", os.pread(file, len(data), offset), data)
        finally:
            area.close()

    def do_fsync(self) -> None:
        file = self.some_open()
        if file is not None:
            again(lambda: os.fsync(file))

    def move(self, old: str, new: str) -> None:
        os.rename(old, new)
        if new in self.files and new != old:
            self.orphan(new)
        for file, name in self.open.items():
            if name == old:
                self.open[file] = new
        self.files[new] = self.files.pop(old)

    def do_rename(self) -> None:
        name = self.some_file()
        if name is not None:
            self.move(name, self.free_name())

    def do_replace(self) -> None:
        name, other = self.some_file(), self.some_file()
        if name is not None and name != other:
            self.move(name, other)

    def do_unlink(self) -> None:
        if len(self.files) < 5:
            return
        name = self.some_file()
        os.unlink(name)
        self.orphan(name)
        del self.files[name]

    def do_stat(self) -> None:
        file = self.some_open()
        if file is not None:
            self.check("size of an open file", os.fstat(file).st_size, len(self.contents(file)))
        name = self.some_file()
        if name is not None:
            self.check("size of " + name, os.stat(name).st_size, len(self.files[name]))

    def do_list(self) -> None:
        folder = self.random.choice(self.folders)
        everything = [*self.files, *self.links, *self.folders[1:]]
        expected = sorted(os.path.basename(path) for path in everything if (os.path.dirname(path) or ".") == folder)
        self.check("list of " + folder, sorted(os.listdir(folder)), expected)

    def do_mkdir(self) -> None:
        if len(self.folders) > 6:
            return
        name = self.free_name()
        os.mkdir(name)
        self.folders.append(name)

    def do_rmdir(self) -> None:
        if len(self.folders) < 3:
            return
        folder = self.random.choice(self.folders[1:])
        everything = [*self.files, *self.links, *self.folders]
        if any(os.path.dirname(path) == folder for path in everything):
            try:
                os.rmdir(folder)
            except OSError as error:
                if error.errno != errno.ENOTEMPTY:
                    raise
                return
            raise Difference("a full folder was removed")
        os.rmdir(folder)
        self.folders.remove(folder)

    def do_symlink(self) -> None:
        if len(self.links) > 5:
            name = self.random.choice(sorted(self.links))
            self.check("link", os.readlink(name), self.links[name])
            os.unlink(name)
            del self.links[name]
            return
        name, target = self.free_name(), f"t{self.random.randrange(1000)}"
        os.symlink(target, name)
        self.links[name] = target

    def check(self, what: str, found, expected) -> None:
        if found == expected:
            return
        if isinstance(found, bytes):
            at = next((n for n, (a, b) in enumerate(zip(found, expected, strict=False)) if a != b), "the end")
            raise Difference(f"{what}: {len(found)} and {len(expected)} bytes, which differ at {at}")
        raise Difference(f"{what}: {found} and not {expected}")

    def expected(self) -> dict[str, str]:
        found = {name: digest(bytes(contents)) for name, contents in self.files.items()}
        found.update({name: "link " + target for name, target in self.links.items()})
        found.update({name: "folder" for name in self.folders[1:]})
        return {os.path.normpath(name): value for name, value in found.items()}


def compare(found: dict[str, str], expected: dict[str, str]) -> None:
    if found != expected:
        for name in sorted({*found, *expected}):
            if found.get(name) != expected.get(name):
                print(f"{name}: {found.get(name)} and not {expected.get(name)}")
        sys.exit(1)


def main() -> None:
    if sys.argv[1] == "--compare":
        with open(sys.argv[3]) as file:
            return compare(tree(sys.argv[2]), json.load(file))
    folder, seed, steps, model = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), os.path.abspath(sys.argv[4])
    print(f"seed {seed}, {steps} steps", flush=True)
    os.chdir(folder)
    trial = Trial(seed)
    try:
        for _ in range(steps):
            try:
                trial.step()
            except OSError as error:
                if not faulty or error.errno != errno.EIO:
                    raise
                trial.failures += 1
        for file in list(trial.open):
            trial.close(file)
        expected = trial.expected()
        compare(tree("."), expected)
    except (Difference, OSError) as error:
        print(f"step {trial.steps} of seed {seed}: {error!r}")
        traceback.print_exc(file=sys.stdout)
        sys.exit(1)
    with open(model, "w") as file:
        json.dump(expected, file)
    print(f"{len(expected)} items agree; {trial.failures} operations failed by demand")
    return None


main()
