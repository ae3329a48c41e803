// BinaryReadingTests: forms other writers use that ours does not, and budgets.

import PropertyListCoding
import Testing

@Suite struct BinaryReadingTests {
    private typealias F = BinaryFixture

    private static let scalars: [(object: [UInt8], value: PropertyList)] = [
        ([0x08], false), ([0x09], true),
        ([0x10, 0xFF], 255), ([0x11, 0xFF, 0xFE], 65534),
        ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], .integer(Int64(UInt32.max))),
        ([0x13] + [UInt8](repeating: 0xFF, count: 8), -1),
        ([0x14] + [UInt8](repeating: 0xFF, count: 16), -1),
        ([0x22, 0x3F, 0xC0, 0, 0], 1.5), ([0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], 1.5),
        ([0x33, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], .date(1.5)),
        ([0x40], .data([])), ([0x50], ""), ([0x60], ""), ([0xA0], []), ([0xD0], [:]),
        (F.utf16([0x67, 0xFC, 0x65E5, 0xD83D, 0xDE00]), "gü日😀"),
    ]

    @Test(arguments: 0..<scalars.count) func `every width and kind of object is read`(index: Int) throws {
        let (object, value) = Self.scalars[index]
        #expect(try PropertyList(binary: BinaryFixture([object]).bytes, limits: .packet) == value)
    }

    @Test(arguments: 1...8) func `references and offsets of any width are read`(width: Int) throws {
        let array = [0xA2] + F.bigEndian(1, width) + F.bigEndian(2, width)
        let fixture = BinaryFixture([array, [0x10, 5], F.string("five")]).with {
            $0.referenceSize = width
            $0.offsetSize = width
        }
        #expect(try PropertyList(binary: fixture.bytes, limits: .packet) == [5, "five"])
    }

    @Test func `a shared object is read once and stands in every place`() throws {
        let value = try PropertyList(
            binary: BinaryFixture.sharedReferences(levels: 12, width: 2).bytes, limits: .packet)
        var inner = value
        for _ in 0..<12 {
            let items = try #require(inner.array)
            #expect(items.count == 2 && items[0] == items[1])
            inner = items[0]
        }
        #expect(inner == true)
    }

    @Test func `each budget is a ceiling that is still allowed`() throws {
        let value: PropertyList = ["key": ["abc", "0123456789abcdefghij", .data([1, 2])], "other": 1]
        let bytes = try value.encodeBinary()
        let exact = PropertyListLimits(bytes: bytes.count, objects: 8, depth: 2, expandedNodes: 8, expandedBytes: 33)
        #expect(try PropertyList(binary: bytes, limits: exact) == value)
        for (field, name) in [
            (\PropertyListLimits.bytes, "tooManyBytes"), (\.objects, "tooManyObjects"), (\.depth, "tooDeep"),
            (\.expandedNodes, "tooManyExpandedNodes"), (\.expandedBytes, "tooManyExpandedBytes"),
        ] {
            var limits = exact
            limits[keyPath: field] -= 1
            let input = HostileInput(name: name, bytes: bytes, error: name)
            #expect(input.refusal(limits) == name)
        }
        let nothing = PropertyListLimits(bytes: 1 << 20, objects: 0, depth: 0, expandedNodes: 0, expandedBytes: 0)
        #expect(throws: PropertyListError.self) { try PropertyList(binary: bytes, limits: nothing) }
    }

    @Test func `what is not reachable from the top does not matter`() throws {
        let fixture = BinaryFixture([[0x09], [0x00], F.array([1])])
        #expect(try PropertyList(binary: fixture.bytes, limits: .packet) == true)
    }

    @Test func `a hundred thousand keys are read in a moment`() throws {
        let entries = PropertyListDictionary((0..<100_000).map { ("key \($0)", PropertyList.integer(Int64($0))) })
        let value = try PropertyList(binary: PropertyList.dictionary(entries).encodeBinary(), limits: .file)
        #expect(value.dictionary?["key 99999"] == 99_999)
    }
}
