// ValueMutator: changes a property list as a value, so that what comes out is still one.

import LibFuzzer
import PropertyListCoding

/// A change of a byte seldom leaves a binary property list; this reaches what is read behind the codec.
struct ValueMutator {
    /// Keys and strings that the reader under test knows.
    let words: [String]
    private var state: UInt64

    init(seed: UInt32, words: [String]) {
        self.words = words
        state = UInt64(seed) &* 2_862_933_555_777_941_757 &+ 3_037_000_493
    }

    /// A number below `bound`, by the seed alone: libFuzzer repeats a run from its seed.
    mutating func number(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % max(1, bound)
    }

    /// The value with one place changed.
    mutating func changed(_ value: PropertyList) -> PropertyList {
        if number(below: 8) == 0 { return stranger(in: value) }
        switch value {
        case .array(var items):
            let place = number(below: items.count)
            switch number(below: 8) {
            case 0: items.insert(stranger(in: value), at: place)
            case 1 where !items.isEmpty: items.remove(at: place)
            case 2 where !items.isEmpty: items.append(items[place])
            case 3 where !items.isEmpty: items.swapAt(place, number(below: items.count))
            default: if !items.isEmpty { items[place] = changed(items[place]) }
            }
            return .array(items)
        case .dictionary(var entries):
            let key = entries.isEmpty ? word() : entries.keys[number(below: entries.count)]
            switch number(below: 8) {
            case 0: entries[key] = nil
            case 1: entries[word()] = stranger(in: value)
            case 2: entries[word()] = entries[key]
            default: entries[key] = entries[key].map { changed($0) } ?? stranger(in: value)
            }
            return .dictionary(entries)
        case .string(let text):
            return .string(number(below: 2) == 0 ? word() : String(decoding: changed(Array(text.utf8)), as: UTF8.self))
        case .data(let bytes): return .data(changed(bytes))
        case .integer(let number):
            return .integer(self.number(below: 2) == 0 ? number &+ Int64(self.number(below: 5)) &- 2 : integer())
        default: return stranger(in: value)
        }
    }

    private mutating func changed(_ bytes: [UInt8]) -> [UInt8] {
        let room = bytes.count + 16
        return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            _ = buffer.initialize(fromContentsOf: bytes)
            buffer[bytes.count...].initialize(repeating: 0)
            count = LLVMFuzzerMutate(buffer.baseAddress, bytes.count, room)
        }
    }

    private mutating func word() -> String { words[number(below: words.count)] }

    private mutating func integer() -> Int64 {
        [0, 1, -1, 2, 15, 16, 255, 256, 65_536, .max, .min, 1 << 53, -129][number(below: 13)]
    }

    /// Something that is not in its place, the whole value among it.
    private mutating func stranger(in value: PropertyList) -> PropertyList {
        switch number(below: 14) {
        case 0: .boolean(number(below: 2) == 0)
        case 1, 2: .integer(integer())
        case 3: .real([0, -0.0, .nan, .infinity, 1e300, 0.5][number(below: 6)])
        case 4: .date([0, -0.0, -.infinity, 1e18, 7e8][number(below: 5)])
        case 5, 6, 7: .string(word())
        case 8: .data([UInt8](repeating: 7, count: number(below: 100)))
        case 9: []
        case 10: [:]
        case 11: [value]
        case 12: .dictionary([word(): value])
        default: .string(["é", "e\u{301}", "😀", "\u{0}", "a\u{FFFF}", "\u{1F1E9}\u{1F1EA}"][number(below: 6)])
        }
    }
}
