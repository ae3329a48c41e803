// WireSchemaTests: Scripts/wire names each fault of the schema with its line and what to do.

import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite struct WireSchemaTests {
    /// What `Scripts/wire` says of the schema in which one piece of text is another.
    private func faults(_ old: String, _ new: String) async throws -> (status: Int32?, text: String) {
        let folder = try TemporaryDirectory(prefix: "exthost-schema")
        defer { try? folder.remove() }
        let schema = try String(contentsOfFile: SampleApplications.root + "/docs/protocol.schema", encoding: .utf8)
        let place = try #require(schema.range(of: old), "the schema has no longer “\(old)”")
        try schema.replacingCharacters(in: place, with: new).write(
            toFile: folder.path + "/schema", atomically: false, encoding: .utf8)
        let ending = try await Program.run(
            SampleApplications.root + "/Scripts/wire", ["--faults", folder.path + "/schema"], socket: ""
        ).ending()
        return (ending.status, ending.errors)
    }

    @Test(arguments: [
        (
            "role: Role\n", "role: Part\n",
            "there is no type Part; a record or enum of that name must stand in this file"
        ),
        ("message begun 0x0181", "message begun 0x0184", nil),
        ("message begun 0x0181", "message begun 0x0101", "the number 0x0101 stands in line"),
        (
            "message begun 0x0181", "message begun 0x0281",
            "0x0281 is not in the range 0x01xx of “A host and the daemon”"
        ),
        ("message begun 0x0181", "message begun 0x0121", "begun is an answer: bit 7 of its number must be set"),
        ("message begun 0x0181", "massage begun 0x0181", "the grammar stands at the top of the file"),
        (
            "    /// Chosen by the host.\n    request: UUID", "    fancy: UUID",
            "the key fancy has no meaning; put a line"
        ),
        ("answer begun", "answer began", "there is no message began to answer with; add it, or correct the name"),
        ("since 1.1", "since 1.99", "there is no version 1.99; raise ProtocolVersion.current first"),
        ("from host → daemon", "from whom → daemon", "`from` names whom; write `from PEER → PEER`"),
        (
            "force: Bool = false, needs", "force: Bool, needs",
            "force came later, so it may be absent: write `?` or a default"
        ),
        ("    force: Bool", "    force Bool", "is neither a key (`key: Type`) nor one of"),
        ("by hand RefusalRecord.swift", "by hand Nowhere.swift", "there is no Nowhere.swift"),
        ("init (role,", "init (part,", "init names part, which Hello does not have"),
        ("        initially .lowest\n", "", "init leaves minimum without a value; add it to init"),
        (
            "    interrupted = 16\n", "    interfered = 16\n",
            "interfered has no remedy; add one in ErrorCode.swift of Sources/ExtensionWire"
        ),
        ("    timedOut = 17\n", "    timedOut = 16\n", "ExtensionHostError.Code has a case twice; remove one"),
        ("        by kit\n", "", "connectionLost lacks a line `by TEXT` below it, for docs/errors.md"),
        ("    /// The daemon serves.\n", "", "daemonStarted has no sentence; say in a line"),
        (
            "    daemonStarted = daemon.started", "    daemonStarted daemon.started",
            "is no case; write `name`, or `name = raw`"
        ),
        ("lines: [LogLine]", "files: [String]", "nothing uses LogLine; remove it, or give it to a key"),
    ])
    func aFaultOfTheSchemaIsNamedWithItsLineAndARemedy(_ old: String, _ new: String, _ fault: String?) async throws {
        let (status, text) = try await faults(old, new)
        #expect(status == (fault == nil ? 0 : 1))
        guard let fault else { return #expect(text.isEmpty, "\(text)") }
        #expect(text.contains(fault) && text.contains(#/schema:\d+: /#), "\(text)")
    }
}
