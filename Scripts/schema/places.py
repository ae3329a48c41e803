"""places: the paths of the schema and of the generated files."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs/protocol.schema"
PAGE = ROOT / "docs/protocol.md"
ERRORS = ROOT / "docs/errors.md"
PYTHON = ROOT / "Sources/Samples/Python/exthost.py"
WIRE = ROOT / "Sources/ExtensionWire"
REMEDIES = WIRE / "ErrorCode.swift"
PROTOCOL = ROOT / "Sources/ExtensionProtocol"
READERS = ROOT / "Tests/Fuzz/Support/MessageReaders.swift"
SAMPLES = ROOT / "Tests/ExtensionProtocolTests/Generated/MessageSamples.swift"
NOTE = "// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file."


def shown(path):
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
