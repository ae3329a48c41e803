// TextTable: the texts of a rule or of what it is asked about, each once, with what comparing types needs.

internal import UniformTypeIdentifiers

/// Texts by number. Built once; afterwards comparing two of them, or their conformance, touches bytes and words only.
struct TextTable: Sendable {
    /// Keys of the object tree that nearly every rule walks: compared by number.
    enum Symbol {
        static let names = ["extensionItems", "attachments", "registeredTypeIdentifiers", "fileproviderItems"]
        static let none: Int32 = -1
        static func number(_ key: String) -> Int32 { names.firstIndex(of: key).map { Int32($0) } ?? none }
    }

    struct Entry: Sendable {
        /// The text as it is, as a place in `bytes`.
        var start: Int32
        var count: Int32
        /// The same in lower case, as types are compared.
        var lowerStart: Int32
        var lowerCount: Int32
        var lowerHash: UInt64
        /// The bit of this type where it is a common one, else empty.
        var ownBit: UInt64
        /// The common types that this one conforms to, itself included.
        var conformance: UInt64
        /// Further supertypes: places in `others`.
        var firstOther: Int32
        var otherCount: Int32
        var symbol: Int32
    }

    /// Which types there are.
    private let types: TypeTable
    private(set) var bytes: [UInt8] = []
    private(set) var entries: [Entry] = []
    /// Numbers of entries, the further supertypes of each in one run.
    private(set) var others: [Int32] = []
    private var numbers: [Name: Int32] = [:]

    /// A text by its bytes: two that are only canonically the same are two.
    private struct Name: Hashable {
        let text: String

        static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    /// Longer texts are no type identifiers: nothing is looked up for them.
    static let longestType = 2048

    init(types: TypeTable) { self.types = types }

    /// The text's number; a new one for a text that is not there yet.
    mutating func number(_ text: String) -> Int32 {
        if let known = numbers[Name(text: text)] { return known }
        return add(text, supertypes: text.utf8.count <= Self.longestType)
    }

    private mutating func add(_ text: String, supertypes: Bool) -> Int32 {
        let number = Int32(entries.count)
        numbers[Name(text: text)] = number
        let lower = text.lowercased()
        let start = append(text)
        let lowerStart = lower.utf8.elementsEqual(text.utf8) ? start : append(lower)
        let place = CommonTypes.place(lower)
        entries.append(
            Entry(
                start: start, count: Int32(text.utf8.count), lowerStart: lowerStart, lowerCount: Int32(lower.utf8.count),
                lowerHash: Self.hash(lower.utf8), ownBit: CommonTypes.bit(lower),
                conformance: place.map(CommonTypes.conformance) ?? 0, firstOther: 0, otherCount: 0,
                symbol: Symbol.number(text)))
        guard supertypes, place == nil else { return number }
        var conformance: UInt64 = 0
        var further: [Int32] = []
        for key in types.supertypes(of: text) {
            if CommonTypes.place(key) != nil {
                conformance |= CommonTypes.bit(key)
            } else {
                further.append(numbers[Name(text: key)] ?? add(key, supertypes: false))
            }
        }
        entries[Int(number)].conformance = conformance
        entries[Int(number)].firstOther = Int32(others.count)
        entries[Int(number)].otherCount = Int32(further.count)
        others += further
        return number
    }

    private mutating func append(_ text: String) -> Int32 {
        let start = Int32(bytes.count)
        bytes += text.utf8
        return start
    }

    /// FNV-1a: a first answer to “the same?”; bytes are compared when it says yes.
    private static func hash(_ text: String.UTF8View) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return hash
    }

    /// No text is added any more: gives back what only adding needs.
    mutating func close() { numbers = [:] }

    func text(_ number: Int32) -> String {
        let entry = entries[Int(number)]
        return String(decoding: bytes[Int(entry.start)..<Int(entry.start + entry.count)], as: UTF8.self)
    }
}

extension TextTable {
    /// The table in place, for an evaluation's walk that counts no references.
    struct View {
        let bytes: UnsafeBufferPointer<UInt8>
        let entries: UnsafeBufferPointer<Entry>
        let others: UnsafeBufferPointer<Int32>

        @inline(__always)
        func bytes(_ number: Int32) -> UnsafeBufferPointer<UInt8> {
            let entry = entries[Int(number)]
            return UnsafeBufferPointer(rebasing: bytes[Int(entry.start)..<Int(entry.start + entry.count)])
        }

        @inline(__always)
        fileprivate func lower(_ number: Int32) -> UnsafeBufferPointer<UInt8> {
            let entry = entries[Int(number)]
            return UnsafeBufferPointer(rebasing: bytes[Int(entry.lowerStart)..<Int(entry.lowerStart + entry.lowerCount)])
        }

        /// Whether two texts name the same type, whatever the case of their letters.
        @inline(__always)
        func type(_ number: Int32, isSameAs other: Int32, of view: View) -> Bool {
            entries[Int(number)].lowerHash == view.entries[Int(other)].lowerHash
                && lower(number).elementsEqual(view.lower(other))
        }

        /// Whether a type is the other one or stands below it.
        @inline(__always)
        func type(_ number: Int32, conformsTo other: Int32, of view: View) -> Bool {
            let entry = entries[Int(number)]
            let ownBit = view.entries[Int(other)].ownBit
            if ownBit != 0 { return entry.conformance & ownBit != 0 }
            if type(number, isSameAs: other, of: view) { return true }
            for place in entry.firstOther..<(entry.firstOther + entry.otherCount)
            where type(others[Int(place)], isSameAs: other, of: view) { return true }
            return false
        }
    }

    @inline(__always)
    func withView<Result>(_ body: (View) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { bytes in
            entries.withUnsafeBufferPointer { entries in
                others.withUnsafeBufferPointer { others in body(View(bytes: bytes, entries: entries, others: others)) }
            }
        }
    }
}
