// SparseItemTests: files and memories that an extension returns and that take no room: what `run` makes of them.

import ExtensionHostTesting
import Foundation
import TestPrograms
import Testing

@Suite struct SparseItemTests {
    private func run(_ act: String, _ arguments: [String]) async throws -> Program.Ending {
        let bundles = try TestBundles()
        try bundles.addHostile(act, interpreter: "/usr/bin/python3")
        return try await withTestDaemon(applications: [bundles.path]) { daemon in
            let folder = bundles.path + "/saved"
            let ending = try await control(
                ["run", "org.exthost.tests.\(act)", "--text", "x", "--force", "--save", folder] + arguments, daemon)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            #expect(names.isEmpty, "\(names)")
            return ending
        }
    }

    @Test func aFileThatTakesNoRoomIsNotSaved() async throws {
        let ending = try await run("sparseFile", [])
        #expect(ending.status != 0 && ending.errors.contains("1099511627776 of the 1099511627776 bytes"), "\(ending)")
        #expect(ending.errors.contains("have never been written"), "\(ending)")
    }

    @Test func aSealedMemoryThatTakesNoRoomIsNotRead() async throws {
        let ending = try await run("sparseMemory", ["--json"])
        #expect(ending.output.contains(#""cause": "protocolViolation""#), "\(ending)")
        #expect(ending.output.contains("have never been written"), "\(ending)")
    }
}
