// MutationTests: damaged inputs give a value or an error, whatever the damage.

import Glibc
import PropertyListCoding
import Testing

@Suite struct MutationTests {
    private static let sample: PropertyList = [
        "op": "beginRequest", "flags": [true, false], "numbers": [1, -1, 300, 70_000, 2.5],
        "text": "grüße 😀, a longer string",
        "bytes": .data([1, 2, 3]), "when": .date(790_000_000), "nested": ["again": [["deep"]]],
    ]

    private static let xml = Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict><!-- words --><key>a</key><array><integer>-0x1F</integer><real>2.5</real><true/></array>
        <key>b &amp; c</key><string>x&#x1F600;<![CDATA[<raw>]]></string><key>d</key><data>AQID</data>
        <key>e</key><date>2026-11-21T12:00:00Z</date></dict></plist>
        """.utf8)

    /// Reads, and writes again what was read: neither may fail in a way of its own.
    private func probe(_ bytes: [UInt8]) {
        guard let value = try? PropertyList(file: bytes, limits: .packet) else { return }
        // NaN is not equal to itself; the bytes are.
        guard let once = try? value.encodeBinary(), let back = try? PropertyList(binary: once, limits: .payload) else {
            Issue.record("what was read cannot be written and read again: \(bytes)")
            return
        }
        #expect((try? back.encodeBinary()) == once)
    }

    @Test func `a binary file cut off anywhere is refused`() throws {
        let bytes = try Self.sample.encodeBinary()
        for count in 0..<bytes.count {
            #expect(throws: PropertyListError.self) {
                try PropertyList(file: Array(bytes.prefix(count)), limits: .file)
            }
        }
    }

    @Test func `an XML file cut off anywhere is refused`() {
        #expect(throws: Never.self) { try PropertyList(file: Self.xml, limits: .file) }
        for count in 0..<Self.xml.count {
            #expect(throws: PropertyListError.self) {
                try PropertyList(file: Array(Self.xml.prefix(count)), limits: .file)
            }
        }
    }

    @Test func `every change of one byte of a small binary file gives a value or an error`() throws {
        let bytes = try PropertyList.dictionary(["k": [1, "é", 2.5], "d": .data([9])]).encodeBinary()
        for index in bytes.indices {
            var damaged = bytes
            for value in UInt8.min ... .max {
                damaged[index] = value
                probe(damaged)
            }
        }
    }

    @Test func `every change of one byte of an XML file to a telling character gives a value or an error`() {
        for index in Self.xml.indices {
            var damaged = Self.xml
            for value in Array("<>&;/!?[]'\"- \n\0aA1#x".utf8) + [0x0D, 0x80, 0xC3, 0xFF] {
                damaged[index] = value
                probe(damaged)
            }
        }
    }

    @Test(arguments: [0, 1]) func `two seconds of damage at random give values or errors`(form: Int) throws {
        var random = SeededGenerator(seed: UInt64(4711 + form))
        let telling: [UInt8] = [0, 1, 0x0F, 0x13, 0x5F, 0x6F, 0x7F, 0x80, 0xAF, 0xDF, 0xFF]
        var values = RandomValues(seed: 5)
        let seeds = try form == 0 ? (0..<40).map { _ in try values.value(depth: 3).encodeBinary() } : [Self.xml]
        let end = ContinuousClock.now + .seconds(1)
        while ContinuousClock.now < end {
            var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[place] = telling[Int.random(in: 0..<telling.count, using: &random)]
                case 2: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
                }
            }
            probe(bytes)
        }
    }
}
