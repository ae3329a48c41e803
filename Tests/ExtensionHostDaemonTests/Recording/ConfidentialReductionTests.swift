// ConfidentialReductionTests: marked values are left out of recordings with contents, and all others stay.

import ExtensionWire
import LinuxSystem
import PropertyListCoding
import Testing

@testable import ExtensionHostDaemon

@Suite struct ConfidentialReductionTests {
    private static let marked: PropertyList = [
        "user": "ada", "password": ["$confidential": "hunter2"], "$confident": "stays",
        "list": [["$confidential": ["deep": "hunter2"]], "stays"],
    ]

    // spec: P-652
    @Test("P-652: a marked value is left out, at any depth") func markedValues() throws {
        let bytes = ConfidentialReduction.bytes(try Self.marked.encodeBinary())
        let reduced = try PropertyList(binary: bytes, limits: .packet)
        #expect(
            reduced == [
                "user": "ada", "password": ["$confidential": "<confidential>"], "$confident": "stays",
                "list": [["$confidential": "<confidential>"], "stays"],
            ])
        // What cannot be read is not recorded.
        let broken = Array("$confidential hunter2".utf8)
        #expect(try PropertyList(binary: ConfidentialReduction.bytes(broken), limits: .packet) == "<confidential>")
    }

    // spec: P-652
    @Test("P-652: other payloads stay byte by byte, and sealed memory is searched") func others() throws {
        let plain: PropertyList = ["user": "ada", "price": "$ 5 $confidentia", "more": ["$": "$$$"]]
        let bytes = try plain.encodeBinary()
        #expect(ConfidentialReduction.bytes(bytes) == bytes)
        #expect(ConfidentialReduction.bytes([]).isEmpty)
        #expect(!ConfidentialReduction.isMarked(SharedDescriptor(try SealedMemory.make(bytes))))
        #expect(ConfidentialReduction.isMarked(SharedDescriptor(try SealedMemory.make(try Self.marked.encodeBinary()))))
        // Memory that can change could get the mark later.
        #expect(ConfidentialReduction.isMarked(SharedDescriptor(try openForReading("/dev/null"))))
    }
}
