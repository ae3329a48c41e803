// TextTable: the distinct texts of a rule or of its subject, with the data for comparing types.

internal import UniformTypeIdentifiers

/// Texts by number. Once it is built, a comparison of two texts or of their conformance reads bytes and words only.
struct TextTable: Sendable {
    /// The keys of the object tree that nearly every rule uses, which are compared by number.
    enum Symbol {
        static let names = ["extensionItems", "attachments", "registeredTypeIdentifiers", "fileproviderItems"]
        static let none: Int32 = -1
        static func number(_ key: String) -> Int32 { names.firstIndex(of: key).map { Int32($0) } ?? none }
    }

    struct Entry: Sendable {
        /// The text as it is, as a place in `bytes`.
        var start: Int32
        var count: Int32
        /// The text in lower case, in which types are compared.
        var lowerStart: Int32
        var lowerCount: Int32
        var lowerHash: UInt64
        /// The bit of this type if it is a common one, else 0.
        var ownBit: UInt64
        /// The common types that this one conforms to, itself included.
        var conformance: UInt64
        /// The further supertypes, as places in `others`.
        var firstOther: Int32
        var otherCount: Int32
        var symbol: Int32
    }

    /// The types with their conformance.
    private let types: TypeTable
    private(set) var bytes: [UInt8] = []
    private(set) var entries: [Entry] = []
    /// The numbers of entries: the further supertypes of each in one run.
    private(set) var others: [Int32] = []
    private var numbers: [Name: Int32] = [:]

    /// A text compared by its bytes: texts that are only canonically equal are different.
    private struct Name: Hashable {
        let text: String

        static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    /// The maximum length of a type identifier; longer texts are not looked up.
    static let longestType = 2048

    init(types: TypeTable) { self.types = types }

    /// Returns the text's number. It adds the text if it is new.
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
                start: start, count: Int32(text.utf8.count), lowerStart: lowerStart,
                lowerCount: Int32(lower.utf8.count),
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

    /// Returns the FNV-1a hash, which rules out different texts quickly; if it is equal, the bytes are compared.
    private static func hash(_ text: String.UTF8View) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return hash
    }

    /// Ends the additions, and frees the memory that only they need.
    mutating func close() { numbers = [:] }

    func text(_ number: Int32) -> String {
        let entry = entries[Int(number)]
        return String(decoding: bytes[Int(entry.start)..<Int(entry.start + entry.count)], as: UTF8.self)
    }
}

extension TextTable {
    /// The table's arrays in place, for an evaluation that counts no references.
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
            return UnsafeBufferPointer(
                rebasing: bytes[Int(entry.lowerStart)..<Int(entry.lowerStart + entry.lowerCount)])
        }

        /// Whether two texts name the same type, regardless of case.
        @inline(__always)
        func type(_ number: Int32, isSameAs other: Int32, of view: View) -> Bool {
            entries[Int(number)].lowerHash == view.entries[Int(other)].lowerHash
                && lower(number).elementsEqual(view.lower(other))
        }

        /// Whether a type is the other one or one of its subtypes.
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
