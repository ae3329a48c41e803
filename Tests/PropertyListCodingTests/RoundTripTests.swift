// RoundTripTests: what is written is read back the same, in the smallest form, and the same way every time.

import PropertyListCoding
import Testing

@Suite struct RoundTripTests {
    @Test(arguments: 0..<8) func `generated values come back equal, and encode to the same bytes again`(part: Int)
        throws
    {
        for seed in 0..<500 {
            var values = RandomValues(seed: UInt64(part * 500 + seed))
            let value = values.value()
            let bytes = try value.encodeBinary()
            let back = try PropertyList(binary: bytes, limits: .payload)
            #expect(back == value, "seed \(part * 500 + seed)")
            #expect(try back.encodeBinary() == bytes, "seed \(part * 500 + seed)")
        }
    }

    @Test func `a packet header may stand before the property list`() throws {
        let value: PropertyList = ["op": "hello", "n": 1, "list": [1, "two", 3.0, true]]
        var buffer = [UInt8](repeating: 0xAA, count: 16)
        try value.encodeBinary(into: &buffer)
        #expect(buffer.prefix(16).allSatisfy { $0 == 0xAA })
        #expect(try Array(buffer.dropFirst(16)) == value.encodeBinary())
        let back = try buffer.withUnsafeBytes {
            try PropertyList(binary: UnsafeRawBufferPointer(rebasing: $0[16...]), limits: .packet)
        }
        #expect(back == value)
    }

    @Test func `equal strings and scalars become one object`() throws {
        let once = try PropertyList.array(["a long enough string", 70000, 2.5, "é"]).encodeBinary()
        let row: [PropertyList] = ["a long enough string", 70000, 2.5, "é"]
        let often = try PropertyList.array(row + row + row).encodeBinary()
        #expect(often.count == once.count + 8)  // eight references of one byte
    }

    @Test func `strings that look the same but have other scalars stay as they are`() throws {
        let value: PropertyList = ["é", "e\u{301}", "K", "\u{212A}"]
        let back = try #require(try PropertyList(binary: value.encodeBinary(), limits: .packet).array)
        #expect(
            back.compactMap(\.string).map { Array($0.utf8) }
                == ["é", "e\u{301}", "K", "\u{212A}"].map { Array($0.utf8) })
    }

    @Test(arguments: [200, 300, 70_000]) func `references are as wide as the number of objects needs`(count: Int) throws
    {
        let value = PropertyList.array((0..<count).map { .integer(Int64($0)) })
        let bytes = try value.encodeBinary()
        #expect(bytes[bytes.count - 25] == (count < 256 ? 1 : count < 65536 ? 2 : 4))
        #expect(try PropertyList(binary: bytes, limits: .payload) == value)
    }

    @Test func `not-a-number and negative zero keep their bits`() throws {
        for number in [Double.nan, -0.0] {
            let back = try PropertyList(binary: PropertyList.real(number).encodeBinary(), limits: .packet)
            #expect(back.real?.bitPattern == number.bitPattern)
        }
    }

    @Test func `data of megabytes comes back`() throws {
        let value: PropertyList = ["bytes": .data([UInt8](repeating: 7, count: 5_000_000))]
        #expect(try PropertyList(binary: value.encodeBinary(), limits: .payload) == value)
    }

    @Test func `the deepest value is written, one deeper is refused and leaves the buffer alone`() throws {
        func nested(_ depth: Int) -> PropertyList { (1..<depth).reduce(.array([])) { value, _ in .array([value]) } }
        var limits = PropertyListLimits.payload
        limits.depth = 10_000  // taken as the greatest
        let deepest = try nested(512).encodeBinary()
        #expect(try PropertyList(binary: deepest, limits: limits) == nested(512))
        var buffer: [UInt8] = [1, 2, 3]
        #expect(throws: PropertyListError.tooDeep(limit: 512, at: .value)) {
            try nested(513).encodeBinary(into: &buffer)
        }
        #expect(buffer == [1, 2, 3])
    }

    @Test func `dictionaries of one kind share their keys and stay separate values`() throws {
        let rows = (0..<50).map { PropertyList.dictionary(["name": .string("row \($0)"), "order": .integer($0)]) }
        let bytes = try PropertyList.array(rows).encodeBinary()
        var back = try #require(try PropertyList(binary: bytes, limits: .packet).array)
        #expect(back == rows)
        var first = try #require(back[0].dictionary)
        first["name"] = nil
        first["extra"] = true
        back[0] = .dictionary(first)
        #expect(back[1] == rows[1])
        #expect(try PropertyList(binary: PropertyList.array(back).encodeBinary(), limits: .packet) == .array(back))
    }
}
