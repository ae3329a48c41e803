// BinaryReader: the binary form to values, in time and memory bounded by the input's own length.

/// A reader of the binary form. Nothing outside `bytes` is read.
///
/// Objects that own memory are made once and shared by everything that refers to them, so shared references cost
/// nothing here. The reader counts what they stand for in a traversal while it makes them, and refuses an input over
/// budget. Two objects that overlap are refused, so the memory of all objects together is bounded by the input.
struct BinaryReader: ~Copyable {
    let bytes: UnsafeRawBufferPointer
    let trailer: BinaryTrailer
    let limits: PropertyListLimits
    private let depthLimit: Int
    /// The state of each object: `unseen`, `open` while its elements are read, else the position in `made` plus
    /// `firstMade`.
    private let states: UnsafeMutablePointer<UInt32>
    private var made: [Made] = []
    var keySets: BinaryKeySets
    /// The nodes and bytes that a traversal of the values read so far would visit.
    private(set) var nodes = 1
    private(set) var octets = 0
    /// The bytes of the input taken by objects in `made`.
    private var claimed = 0

    private static let unseen: UInt32 = 0
    private static let open: UInt32 = 1
    private static let firstMade: UInt32 = 2

    /// A finished object that owns memory, and the cost of a traversal through it beyond its own node.
    struct Made {
        let value: PropertyList
        let nodes: Int
        let octets: Int
        let height: Int
    }

    init(_ bytes: UnsafeRawBufferPointer, limits: PropertyListLimits) throws(PropertyListError) {
        let trailer = try BinaryTrailer(bytes, limits: limits)
        self.bytes = bytes
        self.trailer = trailer
        self.limits = limits
        depthLimit = limits.effectiveDepth
        keySets = BinaryKeySets()
        states = .allocate(capacity: trailer.objectCount)
        states.initialize(repeating: Self.unseen, count: trailer.objectCount)
    }

    deinit { states.deallocate() }

    mutating func readTop() throws(PropertyListError) -> PropertyList {
        guard limits.expandedNodes >= 1 else { throw .tooManyExpandedNodes(limit: limits.expandedNodes, at: .byte(0)) }
        return try value(of: trailer.topObject, depth: 0).value
    }

    // MARK: Reading numbers

    /// Returns a big-endian number of `width` bytes that ends before the trailer, so that eight bytes can always be
    /// loaded.
    @inline(__always)
    func number(at offset: Int, width: Int) -> UInt64 {
        let word = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        return word >> UInt64(64 - 8 * width)
    }

    /// Returns the object that a reference at `offset` names.
    @inline(__always)
    func reference(at offset: Int) throws(PropertyListError) -> Int {
        let reference = number(at: offset, width: trailer.referenceSize)
        guard reference < UInt64(trailer.objectCount) else {
            throw .referenceOutOfRange(reference: reference, objects: trailer.objectCount, at: .byte(offset))
        }
        return Int(truncatingIfNeeded: reference)
    }

    /// Returns the position at which an object begins.
    @inline(__always)
    func start(of object: Int) throws(PropertyListError) -> Int {
        let offset = number(at: trailer.offsetTable + object * trailer.offsetSize, width: trailer.offsetSize)
        guard offset >= UInt64(BinaryMarker.headerCount), offset < UInt64(trailer.offsetTable) else {
            throw .offsetOutOfRange(object: object, offset: offset)
        }
        return Int(truncatingIfNeeded: offset)
    }

    /// Returns the contents of an object whose marker is at `start` and has a count; `unit` is the size of each element
    /// in bytes.
    @inline(__always)
    func contents(at start: Int, unit: Int) throws(PropertyListError) -> (start: Int, count: Int) {
        var content = start + 1
        var count = UInt64(bytes[start] & 0x0F)
        if count == 0x0F {
            guard content < trailer.offsetTable else { throw .overrun(at: .byte(start)) }
            let marker = bytes[content]
            guard marker >> 4 == BinaryMarker.integer, marker & 0x0F <= 3 else {
                throw .unknownMarker(marker, at: .byte(content))
            }
            let width = 1 << Int(marker & 0x0F)
            content += 1
            guard width <= trailer.offsetTable - content else { throw .overrun(at: .byte(start)) }
            count = number(at: content, width: width)
            content += width
        }
        // The limit is divided, not multiplied: a count near 2^64 must not wrap.
        guard count <= UInt64((trailer.offsetTable - content) / unit) else { throw .overrun(at: .byte(start)) }
        return (content, Int(truncatingIfNeeded: count))
    }

    // MARK: Budgets

    @inline(__always)
    mutating func spend(nodes count: Int, at place: Int) throws(PropertyListError) {
        nodes += count
        guard nodes <= limits.expandedNodes else {
            throw .tooManyExpandedNodes(limit: limits.expandedNodes, at: .byte(place))
        }
    }

    @inline(__always)
    mutating func spend(octets count: Int, at place: Int) throws(PropertyListError) {
        octets += count
        guard octets <= limits.expandedBytes else {
            throw .tooManyExpandedBytes(limit: limits.expandedBytes, at: .byte(place))
        }
    }

    /// Claims input for an object that will own memory.
    @inline(__always)
    private mutating func claim(_ range: Range<Int>) throws(PropertyListError) {
        claimed += range.count
        guard claimed <= trailer.offsetTable - BinaryMarker.headerCount else {
            throw .overlap(at: .byte(range.lowerBound))
        }
    }

    private mutating func keep(_ object: Int, _ result: Made) {
        states[object] = Self.firstMade + UInt32(truncatingIfNeeded: made.count)
        made.append(result)
    }

    // MARK: Values

    /// Returns an object's value, and the number of levels of containers in it. The caller has counted its own node.
    mutating func value(of object: Int, depth: Int) throws(PropertyListError) -> (value: PropertyList, height: Int) {
        let state = states[object]
        if state != Self.unseen { return try recall(object, state, depth: depth) }
        let start = try start(of: object)
        let marker = bytes[start]
        switch marker >> 4 {
        case BinaryMarker.ascii, BinaryMarker.utf16: return (.string(try string(object, at: start)), 0)
        case BinaryMarker.array: return try array(object, at: start, depth: depth + 1)
        case BinaryMarker.dictionary: return try dictionary(object, at: start, depth: depth + 1)
        case BinaryMarker.data: return (try data(object, at: start), 0)
        default: return (try scalar(marker, at: start), 0)
        }
    }

    private mutating func recall(
        _ object: Int, _ state: UInt32, depth: Int
    ) throws(PropertyListError) -> (value: PropertyList, height: Int) {
        let place = try start(of: object)
        guard state != Self.open else { throw .cycle(at: .byte(place)) }
        let entry = made[Int(state - Self.firstMade)]
        guard depth + entry.height <= depthLimit else { throw .tooDeep(limit: depthLimit, at: .byte(place)) }
        // Both stay below the limits they passed when the entry was made, so the sums cannot wrap.
        try spend(nodes: entry.nodes, at: place)
        try spend(octets: entry.octets, at: place)
        return (entry.value, entry.height)
    }

    private func scalar(_ marker: UInt8, at start: Int) throws(PropertyListError) -> PropertyList {
        func bits(_ width: Int) throws(PropertyListError) -> UInt64 {
            guard width < trailer.offsetTable - start else { throw .overrun(at: .byte(start)) }
            return number(at: start + 1, width: width)
        }
        switch marker {
        case BinaryMarker.no: return .boolean(false)
        case BinaryMarker.yes: return .boolean(true)
        case 0x10, 0x11, 0x12, 0x13: return .integer(Int64(bitPattern: try bits(1 << Int(marker & 0x0F))))
        case 0x14:
            // Sixteen bytes are signed; the upper eight must only repeat the sign.
            guard 16 < trailer.offsetTable - start else { throw .overrun(at: .byte(start)) }
            let upper = Int64(bitPattern: number(at: start + 1, width: 8))
            let lower = Int64(bitPattern: number(at: start + 9, width: 8))
            guard upper == lower >> 63 else { throw .integerOutOfRange(at: .byte(start)) }
            return .integer(lower)
        case BinaryMarker.real32: return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try bits(4)))))
        case BinaryMarker.real64: return .real(Double(bitPattern: try bits(8)))
        case BinaryMarker.date:
            let seconds = Double(bitPattern: try bits(8))
            // NaN is no point in time, and Foundation's Date traps when its description is requested.
            guard !seconds.isNaN else { throw .dateNotANumber(at: .byte(start)) }
            return .date(seconds)
        default:
            if let name = BinaryMarker.unsupportedName(marker) { throw .unsupportedObject(name, at: .byte(start)) }
            throw .unknownMarker(marker, at: .byte(start))
        }
    }

    private func slice(_ start: Int, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
    }

    private mutating func data(_ object: Int, at start: Int) throws(PropertyListError) -> PropertyList {
        let (content, count) = try contents(at: start, unit: 1)
        try claim(start..<content + count)
        try spend(octets: count, at: start)
        let value = PropertyList.data([UInt8](slice(content, count)))
        keep(object, Made(value: value, nodes: 0, octets: count, height: 0))
        return value
    }

    /// Returns the text of a string object.
    ///
    /// Short ASCII lives in the value itself, owns nothing, and need not be stored.
    private mutating func string(_ object: Int, at start: Int) throws(PropertyListError) -> String {
        let isASCII = bytes[start] >> 4 == BinaryMarker.ascii
        let (content, count) = try contents(at: start, unit: isASCII ? 1 : 2)
        let text = slice(content, isASCII ? count : 2 * count)
        if isASCII {
            try spend(octets: count, at: start)
            if count > Self.inlineString { try claim(start..<content + count) }
            guard let string = String(ascii: text) else { throw .invalidText(at: .byte(start)) }
            if count > Self.inlineString {
                keep(object, Made(value: .string(string), nodes: 0, octets: count, height: 0))
            }
            return string
        }
        try claim(start..<content + text.count)
        guard let string = String(utf16BigEndian: text) else { throw .invalidText(at: .byte(start)) }
        try spend(octets: string.utf8.count, at: start)
        keep(object, Made(value: .string(string), nodes: 0, octets: string.utf8.count, height: 0))
        return string
    }

    private static let inlineString = 15

    /// Returns the text of an object that must be a string: a dictionary's key.
    mutating func key(_ object: Int, at place: Int) throws(PropertyListError) -> String {
        if states[object] == Self.unseen {
            let start = try start(of: object)
            let kind = bytes[start] >> 4
            guard kind == BinaryMarker.ascii || kind == BinaryMarker.utf16 else {
                throw .keyNotString(at: .byte(place))
            }
            return try string(object, at: start)
        }
        guard case .string(let string) = try recall(object, states[object], depth: 0).value else {
            throw .keyNotString(at: .byte(place))
        }
        return string
    }

    private mutating func array(
        _ object: Int, at start: Int, depth: Int
    ) throws(PropertyListError) -> (value: PropertyList, height: Int) {
        guard depth <= depthLimit else { throw .tooDeep(limit: depthLimit, at: .byte(start)) }
        let (content, count) = try contents(at: start, unit: trailer.referenceSize)
        let (nodesBefore, octetsBefore) = (nodes, octets)
        try claim(start..<content + count * trailer.referenceSize)
        try spend(nodes: count, at: start)
        states[object] = Self.open
        let (items, height) = try elements(count, at: content, depth: depth)
        let value = PropertyList.array(items)
        keep(object, Made(value: value, nodes: nodes - nodesBefore, octets: octets - octetsBefore, height: height))
        return (value, height)
    }

    private mutating func dictionary(
        _ object: Int, at start: Int, depth: Int
    ) throws(PropertyListError) -> (value: PropertyList, height: Int) {
        guard depth <= depthLimit else { throw .tooDeep(limit: depthLimit, at: .byte(start)) }
        let (content, count) = try contents(at: start, unit: 2 * trailer.referenceSize)
        let (nodesBefore, octetsBefore) = (nodes, octets)
        let keyBytes = count * trailer.referenceSize
        try claim(start..<content + 2 * keyBytes)
        try spend(nodes: 2 * count, at: start)
        states[object] = Self.open
        let keys = try keySet(count, at: content)
        let (values, height) = try elements(count, at: content + keyBytes, depth: depth)
        let value = PropertyList.dictionary(
            PropertyListDictionary(uniqueKeys: keys.keys, values: values, index: keys.index))
        keep(object, Made(value: value, nodes: nodes - nodesBefore, octets: octets - octetsBefore, height: height))
        return (value, height)
    }

    /// Returns the values of `count` references, and the height of the container that they are in.
    private mutating func elements(
        _ count: Int, at content: Int, depth: Int
    ) throws(PropertyListError) -> (values: [PropertyList], height: Int) {
        var values: [PropertyList] = []
        values.reserveCapacity(count)
        var height = 0
        for index in 0..<count {
            let object = try reference(at: content + index * trailer.referenceSize)
            let element = try value(of: object, depth: depth)
            values.append(element.value)
            height = max(height, element.height)
        }
        return (values, height + 1)
    }
}
