"""Uses a database in a folder from several processes: sqlite.py FOLDER MODE"""

import os
import sqlite3
import sys

folder, mode = sys.argv[1:]
path = os.path.join(folder, f"{mode}.db")
base = sqlite3.connect(path, timeout=60)
print(base.execute(f"pragma journal_mode={mode}").fetchone()[0])
base.execute("create table t (worker int, number int, text blob)")
base.commit()
children = []
for worker in range(4):
    child = os.fork()
    if child == 0:
        own = sqlite3.connect(path, timeout=60)
        for number in range(25):
            with own:
                own.execute("insert into t values (?, ?, ?)", (worker, number, os.urandom(3000)))
        own.close()
        os._exit(0)
    children.append(child)
print([os.waitpid(child, 0)[1] for child in children])
print(base.execute("select count(*), count(distinct worker * 100 + number), sum(length(text)) from t").fetchone())
base.execute("delete from t where number % 2")
base.commit()
base.execute("vacuum")
print(base.execute("pragma integrity_check").fetchone()[0])
reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
print(reader.execute("select count(*) from t").fetchone())
reader.close()
base.close()
print(sorted(name for name in os.listdir(folder) if name.startswith(mode)))
