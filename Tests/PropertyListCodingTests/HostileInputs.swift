// HostileInputs: inputs made to crash, stall or exhaust a reader, and the error each must end in.

import PropertyListCoding
import Testing

struct HostileInput: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    /// The case of `PropertyListError`.
    let error: String

    var testDescription: String { name }

    func read(_ limits: PropertyListLimits = .file) throws(PropertyListError) -> PropertyList {
        try PropertyList(file: bytes, limits: limits)
    }

    /// The name of the error's case, or nil when the input is read.
    func refusal(_ limits: PropertyListLimits = .file) -> String? {
        do {
            _ = try read(limits)
            return nil
        } catch {
            return Mirror(reflecting: error).children.first?.label ?? "\(error)"
        }
    }

    static let all =
        bombs + structure + trailers + objects + texts + xmlBombs + xmlSyntax + xmlContents + notPropertyLists

    private static func binary(_ name: String, _ error: String, _ fixture: BinaryFixture) -> HostileInput {
        HostileInput(name: name, bytes: fixture.bytes, error: error)
    }

    private static func one(_ name: String, _ error: String, _ object: [UInt8]) -> HostileInput {
        binary(name, error, BinaryFixture([object, Array("a tail so that the object itself is what is short".utf8)]))
    }

    private typealias F = BinaryFixture

    private static let bombs: [HostileInput] = [
        binary("shared references, twice a level", "tooManyExpandedNodes", .sharedReferences(levels: 31, width: 2)),
        binary(
            "shared references, twice a level, 120 levels", "tooManyExpandedNodes",
            .sharedReferences(levels: 120, width: 2)),
        binary(
            "shared references, fourteen times a level", "tooManyExpandedNodes",
            .sharedReferences(levels: 40, width: 14)),
        binary(
            "shared references, 200 times a level", "tooManyExpandedNodes", .sharedReferences(levels: 20, width: 200)),
        binary(
            "shared dictionaries", "tooManyExpandedNodes",
            F(
                (0..<60).map { F.dictionary([60, 61], [UInt8($0) + 1, UInt8($0) + 1]) } + [
                    F.string("a"), F.string("b"),
                ]
            )
            .with { $0.objects[59] = F.dictionary([60, 61], [60, 61]) }),
        binary(
            "a long string shared through levels", "tooManyExpandedBytes",
            F(
                (0..<3).map { F.array(Array(repeating: UInt8($0) + 1, count: 60)) } + [
                    F.string(String(repeating: "x", count: 10_000))
                ])),
        binary(
            "a long key shared through levels", "tooManyExpandedBytes",
            F(
                (0..<3).map { F.array(Array(repeating: UInt8($0) + 1, count: 60)) } + [
                    F.dictionary([4], [5]), F.string(String(repeating: "k", count: 10_000)), [0x09],
                ])),
        binary(
            "long data shared through levels", "tooManyExpandedBytes",
            F(
                (0..<4).map { F.array(Array(repeating: UInt8($0) + 1, count: 50)) } + [
                    F.head(0x4, 5_000) + [UInt8](repeating: 1, count: 5_000)
                ])),
        overlappingStrings, overlappingArrays,
    ]

    /// 200 objects whose offsets lie one byte apart in the same text: 200 times its memory, were it allowed.
    private static var overlappingStrings: HostileInput {
        let heads = (0..<200).flatMap { _ in F.head(0x5, 0x5F5F) }  // the head's own bytes are text too
        let body = heads + [UInt8](repeating: 0x5F, count: 30_000)
        let top = F.array((1...200).map { UInt8($0) })
        let starts = (0..<200).map { UInt64(8 + top.count + 4 * $0) }
        let fixture = F([top, body]).with {
            $0.offsets = [8] + starts
            $0.objectCount = 201
        }
        return binary("overlapping strings", "overlap", fixture)
    }

    /// Arrays inside one another's reference lists. What is read of a head as a reference is an object, too.
    private static var overlappingArrays: HostileInput {
        let body = (0..<100).flatMap { _ in F.head(0xA, 10_000) } + [UInt8](repeating: 101, count: 11_000)
        let top = F.array((1...100).map { UInt8($0) })
        let fixture = F([top, body, [0x09]]).with {
            let first = UInt64(8 + top.count)
            let heads = (0..<100).map { first + UInt64(4 * $0) }
            $0.offsets = [8] + heads + Array(repeating: first + UInt64(body.count), count: 99)
            $0.objectCount = 200
        }
        return binary("overlapping arrays", "overlap", fixture)
    }

    private static let structure: [HostileInput] = [
        binary("array that contains itself", "cycle", F([F.array([0])])),
        binary("dictionary that contains itself", "cycle", F([F.dictionary([1], [0]), F.string("me")])),
        binary("cycle of three", "cycle", F([F.array([1]), F.array([2]), F.array([0])])),
        binary("dictionary that is its own key", "keyNotString", F([F.dictionary([1], [1]), F.array([0])])),
        binary("dictionary whose key is its parent", "cycle", F([F.dictionary([0], [1]), F.string("x")])),
        binary("nested 300 deep", "tooDeep", deep(300)),
        binary("nested deep through a shared tail", "tooDeep", sharedTail),
        binary("date that is no number", "dateNotANumber", F([[0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0]])),
        binary("reference beyond the objects", "referenceOutOfRange", F([F.array([9])])),
        binary(
            "reference of eight bytes near 2^64", "referenceOutOfRange",
            F([[0xA1] + [UInt8](repeating: 0xFF, count: 8)]).with { $0.referenceSize = 8 }),
        binary("offset into the header", "offsetOutOfRange", F([[0x09]]).with { $0.offsets = [3] }),
        binary("offset into the offset table", "offsetOutOfRange", F([[0x09]]).with { $0.offsets = [9] }),
        binary("offset beyond the file", "offsetOutOfRange", F([[0x09]]).with { $0.offsets = [0xFFFF] }),
        binary(
            "offset near 2^64", "offsetOutOfRange",
            F([[0x09]]).with {
                $0.offsets = [.max]
                $0.offsetSize = 8
            }),
        binary("the same key twice", "duplicateKey", F([F.dictionary([1, 1], [2, 2]), F.string("k"), [0x09]])),
        binary(
            "equal keys in two objects", "duplicateKey",
            F([F.dictionary([1, 2], [3, 3]), F.string("k"), F.string("k"), [0x09]])),
        binary(
            "keys that are equal only to Swift", "duplicateKey",
            F([F.dictionary([1, 2], [3, 3]), F.utf16([0xE9]), F.utf16([0x65, 0x301]), [0x09]])),
        binary(
            "an ASCII key equal to another's normal form", "duplicateKey",
            F([F.dictionary([1, 2], [3, 3]), F.string("K"), F.utf16([0x212A]), [0x09]])),
        binary(
            "the same key twice among many", "duplicateKey",
            F(
                [F.dictionary((1...40).map { $0 == 40 ? 7 : $0 }, Array(repeating: 41, count: 40))]
                    + (1...40).map { F.string("k\($0)") } + [[0x09]])),
        binary("a key that is a number", "keyNotString", F([F.dictionary([1], [1]), [0x10, 1]])),
    ]

    private static func deep(_ levels: Int) -> BinaryFixture {
        F((0..<levels).map { [0xA1] + F.bigEndian(UInt64($0 + 1), 2) } + [[0x09]]).with { $0.referenceSize = 2 }
    }

    /// Each level's first element is the chain's shared end, so that it is known, with its height, when met deep down.
    private static var sharedTail: BinaryFixture {
        let chain = (0..<200).map { [0xA1] + F.bigEndian(UInt64($0 + 1), 2) } + [[0xA0]]
        let second = (0..<100).map { [0xA1] + F.bigEndian($0 == 99 ? 0 : UInt64(202 + $0), 2) }
        return F(chain + second + [[0xA2] + F.bigEndian(0, 2) + F.bigEndian(201, 2)]).with {
            $0.referenceSize = 2
            $0.topObject = 301
        }
    }

    private static let small = F([F.array([1, 2]), F.string("text"), [0x10, 7]])

    private static let trailers: [HostileInput] = [
        binary("no offset size", "badTrailer", small.with { $0.offsetSize = 0 }),
        binary("offset size 9", "badTrailer", small.with { $0.offsetSize = 9 }),
        binary("reference size 0", "badTrailer", small.with { $0.referenceSize = 0 }),
        binary("reference size 255", "badTrailer", small.with { $0.referenceSize = 255 }),
        binary("no objects", "badTrailer", small.with { $0.objectCount = 0 }),
        binary("more objects than the table holds", "badTrailer", small.with { $0.objectCount = 4 }),
        binary("fewer objects than the table holds", "badTrailer", small.with { $0.objectCount = 2 }),
        binary("2^63 objects: the table's size wraps to zero", "badTrailer", small.with { $0.objectCount = 1 << 63 }),
        binary("2^64 - 1 objects", "badTrailer", small.with { $0.objectCount = .max }),
        binary("top object beyond the objects", "badTrailer", small.with { $0.topObject = 3 }),
        binary("top object near 2^64", "badTrailer", small.with { $0.topObject = .max }),
        binary("offset table in the header", "badTrailer", small.with { $0.offsetTable = 8 }),
        binary("offset table in the trailer", "badTrailer", small.with { $0.offsetTable = 40 }),
        binary("offset table near 2^63", "badTrailer", small.with { $0.offsetTable = UInt64(Int.max) }),
        binary("offset table near 2^64", "badTrailer", small.with { $0.offsetTable = .max - 5 }),
        binary("another version", "unsupportedVersion", small.with { $0.header = Array("bplist15".utf8) }),
        HostileInput(name: "header alone", bytes: Array("bplist00".utf8), error: "tooShort"),
        HostileInput(
            name: "header and trailer alone", bytes: Array("bplist00".utf8) + [UInt8](repeating: 0, count: 32),
            error: "tooShort"),
    ]

    private static let objects: [HostileInput] =
        [
            ("null", 0x00), ("URL", 0x0C), ("base URL", 0x0D), ("UUID", 0x0E), ("fill", 0x0F), ("UID", 0x80),
            ("wide UID", 0x83),
            ("ordered set", 0xB1), ("set", 0xC1), ("UTF-8 string", 0x71),
        ].map { one("\($0) object", "unsupportedObject", [$1, 0, 0, 0, 0]) }
        + [0x01, 0x0A, 0x15, 0x1F, 0x20, 0x21, 0x24, 0x30, 0x32, 0x34, 0x90, 0xE0, 0xF0].map {
            one("marker 0x\(String($0, radix: 16))", "unknownMarker", [$0, 0, 0, 0, 0])
        }
        + [0x4F, 0x5F, 0x6F, 0xAF, 0xDF].flatMap { (marker: UInt8) in
            let kind = String(marker, radix: 16)
            return [
                one(
                    "count of 2^63 - 1 for 0x\(kind)", "overrun",
                    [marker, 0x13, 0x7F] + [UInt8](repeating: 0xFF, count: 7)),
                one("count of 2^64 - 1 for 0x\(kind)", "overrun", [marker, 0x13] + [UInt8](repeating: 0xFF, count: 8)),
                one("count of 2^62 for 0x\(kind)", "overrun", [marker, 0x13, 0x40] + [UInt8](repeating: 0, count: 7)),
                one("count of 2^32 - 1 for 0x\(kind)", "overrun", [marker, 0x12, 0xFF, 0xFF, 0xFF, 0xFF]),
                one(
                    "count of sixteen bytes for 0x\(kind)", "unknownMarker",
                    [marker, 0x14] + [UInt8](repeating: 0, count: 16)),
                one("count that is a string for 0x\(kind)", "unknownMarker", [marker, 0x51, 0x31]),
                binary("count cut off for 0x\(kind)", "overrun", F([[marker]])),
                binary("count cut short for 0x\(kind)", "overrun", F([[marker, 0x13, 0, 0]])),
            ]
        }
        + [0x10, 0x13, 0x14, 0x22, 0x23, 0x33, 0x51, 0x61, 0x41, 0xA1, 0xD1].map {
            binary("0x\(String($0, radix: 16)) cut off", "overrun", F([[$0]]))
        }
        + [
            one(
                "integer of 2^63", "integerOutOfRange",
                [0x14] + [UInt8](repeating: 0, count: 8) + [0x80] + [UInt8](repeating: 0, count: 7)),
            one("integer of 2^64", "integerOutOfRange", [0x14] + F.bigEndian(1, 8) + [UInt8](repeating: 0, count: 8)),
            one(
                "integer below -2^63", "integerOutOfRange",
                [0x14] + [UInt8](repeating: 0xFF, count: 8) + [0x7F] + [UInt8](repeating: 0, count: 7)),
        ]

    private static let texts: [HostileInput] = [
        one("ASCII string with a high byte", "invalidText", [0x53, 0x61, 0xE9, 0x62]),
        one(
            "long ASCII string with a high byte", "invalidText",
            F.string(String(repeating: "a", count: 99)).dropLast() + [0x80]),
        one("high surrogate alone", "invalidText", F.utf16([0x61, 0xD83D])),
        one("low surrogate alone", "invalidText", F.utf16([0xDE00, 0x61])),
        one("surrogates in the wrong order", "invalidText", F.utf16([0xDE00, 0xD83D])),
        one("two high surrogates", "invalidText", F.utf16([0xD83D, 0xD83D, 0xDE00])),
    ]
}
