"""Generates all other descriptions of the wire from docs/protocol.schema: Swift, tables of pages, samples and Python.

`wire` writes the stale files. `wire --check` writes nothing, and exits 1 if a file is stale. `wire --faults FILE` reads
another schema, and prints its faults. All exit 1 if the schema has faults, and print each with its line and remedy. The
grammar is at the top of the schema.
"""

import pathlib
import sys

from checks import check
from names import error_page, name_blocks
from page import page, python
from places import ERRORS, PAGE, PYTHON, READERS, ROOT, SAMPLES, SCHEMA, WIRE, shown
from reading import Schema
from samples import readers, samples
from swift import SwiftTypes, keys, message_kinds


def made(schema):
    """Returns every generated file with its text."""
    files = {ROOT / "Sources" / file: SwiftTypes(schema, file).text() for file in schema.files}
    files[WIRE / "Generated/MessageKind.swift"] = message_kinds(schema)
    files[WIRE / "Generated/Key.swift"] = keys(schema)
    files[SAMPLES] = samples(schema)
    files[READERS] = readers(schema)
    files[PAGE] = page(schema, PAGE.read_text(encoding="utf-8"), name_blocks(schema))
    files[ERRORS] = error_page(schema, ERRORS.read_text(encoding="utf-8"))
    files[PYTHON] = python(schema, PYTHON.read_text(encoding="utf-8"))
    return files


def main(arguments):
    if arguments in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    other = pathlib.Path(arguments.pop()) if len(arguments) == 2 and arguments[0] == "--faults" else None
    if not other and arguments not in ([], ["--check"]):
        print(__doc__.strip(), file=sys.stderr)
        return 64
    schema = Schema(other or SCHEMA)
    if not schema.faults:
        check(schema)
    files = {} if schema.faults or other else made(schema)
    left = {
        path
        for folder in {path.parent for path in files if path.parent.name == "Generated"}
        for path in folder.glob("*.swift")
    }
    stale = [path for path, text in files.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if schema.faults:
        print("\n".join(text for _, text in sorted(schema.faults)), file=sys.stderr)
        return 1
    if arguments:
        for path in sorted(stale) + sorted(left - set(files)):
            print(
                f"{shown(path)} differs from the output of Scripts/wire for docs/protocol.schema; run Scripts/wire",
                file=sys.stderr,
            )
        return 1 if stale or left - set(files) else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path], encoding="utf-8")
        print(f"made {path.relative_to(ROOT)}")
    for path in left - set(files):
        path.unlink()
        print(f"removed {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
