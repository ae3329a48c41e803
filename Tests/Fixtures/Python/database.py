#!/usr/bin/env python3
# database: an extension that writes rows into a database of its app group; with a path it is a plain program.

import fcntl
import os
import sqlite3
import sys

GROUP = "group.org.exthost.tests"
ROWS = 200


def write(folder, who):
    """Writes a row for each number in a transaction of its own, and a count into a file under a POSIX lock."""
    database = sqlite3.connect(f"{folder}/store.db", timeout=60, isolation_level=None)
    mode = database.execute("PRAGMA journal_mode=WAL").fetchone()[0]
    database.execute("CREATE TABLE IF NOT EXISTS row(who TEXT, number INTEGER)")
    with open(f"{folder}/count", "a+", encoding="ascii") as file:
        for number in range(ROWS):
            database.execute("INSERT INTO row VALUES(?, ?)", (who, number))
            fcntl.lockf(file, fcntl.LOCK_EX)
            file.seek(0)
            count = int(file.read() or 0) + 1
            file.seek(0)
            file.truncate()
            file.write(str(count))
            file.flush()
            fcntl.lockf(file, fcntl.LOCK_UN)
    return mode


def begin(context):
    folder = f"{os.environ['EXTHOST_GROUP_CONTAINERS']}/{GROUP}"
    print("writing", flush=True)
    context.complete([exthost.item({"mode": write(folder, "extension")})])


if len(sys.argv) > 1:
    write(sys.argv[1], "program")
else:
    import exthost

    exthost.run(begin)
