// BinaryWriter: values to the binary form, with one object for each different string and scalar.

/// A writer of the binary form, in two passes.
///
/// The first pass traverses the value, encodes every leaf once and notes what the containers refer to. Only then are
/// the number of objects, the width of a reference and the exact total size known. The second pass writes: leaves, long
/// data, containers, offsets, trailer.
struct BinaryWriter: ~Copyable {
    private var leaves = BinaryLeaves()
    /// The data values that are too long to be compared with others, or copied twice.
    private var longData: [[UInt8]] = []
    private var containers = GrowingBuffer<Container>(capacity: 32)
    private var references = GrowingBuffer<UInt32>(capacity: 256)
    private var sharedKeys = BinaryKeyReferences()
    private var top: UInt32 = 0

    /// A container, and the place of its references.
    ///
    /// It is not private: Swift 6.3 fails to compile (-Onone) a private type in a generic that another file destroys.
    struct Container: BitwiseCopyable {
        let kind: UInt8
        let count: Int
        /// The position in `references`: one for each element, two for each entry of a dictionary, all keys first.
        let firstReference: Int

        var references: Int { kind == BinaryMarker.dictionary ? 2 * count : count }
    }

    private static let longest = 64
    /// The bit of a reference to long data or a container, whose final number depends on the number of leaves.
    private static let dataBit: UInt32 = 1 << 30
    private static let containerBit: UInt32 = 1 << 31

    /// The limit of references; there are no more leaves and containers than these and the top.
    private static let greatestCount = 1 << 30 - 1

    /// Traverses `value`, which the caller keeps alive as long as the writer.
    init(_ value: PropertyList) throws(PropertyListError) {
        top = try reference(to: value, depth: 1)
    }

    // MARK: The walk

    private mutating func reference(to value: PropertyList, depth: Int) throws(PropertyListError) -> UInt32 {
        switch value {
        case .string(let string): return UInt32(truncatingIfNeeded: leaves.add(string))
        case .boolean(let flag): return UInt32(truncatingIfNeeded: leaves.add(flag))
        case .integer(let number): return UInt32(truncatingIfNeeded: leaves.add(number))
        case .real(let number): return UInt32(truncatingIfNeeded: leaves.add(real: number))
        case .date(let seconds): return UInt32(truncatingIfNeeded: leaves.add(date: seconds))
        case .data(let bytes):
            if bytes.count <= Self.longest { return UInt32(truncatingIfNeeded: leaves.add(data: bytes)) }
            longData.append(bytes)
            return Self.dataBit | UInt32(truncatingIfNeeded: longData.count - 1)
        case .array(let items):
            return try items.withUnsafeBufferPointer { (items) throws(PropertyListError) in
                let container = try open(BinaryMarker.array, count: items.count, depth: depth)
                try note(items, from: containers[container].firstReference, depth: depth)
                return Self.containerBit | UInt32(truncatingIfNeeded: container)
            }
        case .dictionary(let entries):
            return try entries.withEntries { (keys, values) throws(PropertyListError) in
                let container = try open(BinaryMarker.dictionary, count: keys.count, depth: depth)
                let first = containers[container].firstReference
                note(keys: keys, from: first)
                try note(values, from: first + keys.count, depth: depth)
                return Self.containerBit | UInt32(truncatingIfNeeded: container)
            }
        }
    }

    private mutating func open(_ kind: UInt8, count: Int, depth: Int) throws(PropertyListError) -> Int {
        let limit = PropertyListLimits.greatestDepth
        guard depth <= limit else { throw .tooDeep(limit: limit, at: .value) }
        let container = Container(kind: kind, count: count, firstReference: references.count)
        guard container.references < Self.greatestCount - references.count else {
            throw .tooManyObjects(limit: Self.greatestCount, at: .value)
        }
        _ = references.extend(by: container.references)
        containers.append(container)
        return containers.count - 1
    }

    private mutating func note(
        _ items: UnsafeBufferPointer<PropertyList>, from first: Int, depth: Int
    ) throws(PropertyListError) {
        for index in items.indices { references[first + index] = try reference(to: items[index], depth: depth + 1) }
    }

    /// Notes the references of the keys.
    ///
    /// Dictionaries that a reader made may share their key array: then these are already known.
    private mutating func note(keys: UnsafeBufferPointer<String>, from first: Int) {
        if let known = sharedKeys.first(of: keys) {
            for index in keys.indices { references[first + index] = references[known + index] }
            return
        }
        for index in keys.indices { references[first + index] = UInt32(truncatingIfNeeded: leaves.add(keys[index])) }
        sharedKeys.remember(keys, first: first)
    }

    // MARK: The output

    private var objectCount: Int { leaves.starts.count + longData.count + containers.count }

    /// Appends the property list to `buffer`.
    func write(into buffer: inout [UInt8]) {
        let referenceSize = BinaryNumber.width(UInt64(objectCount - 1))
        var table = BinaryMarker.headerCount + leaves.bytes.count
        for data in longData { table += BinaryNumber.headWidth(data.count) + data.count }
        for index in 0..<containers.count {
            let container = containers[index]
            table += BinaryNumber.headWidth(container.count) + container.references * referenceSize
        }
        let offsetSize = BinaryNumber.width(UInt64(table))
        let total = table + objectCount * offsetSize + BinaryMarker.trailerCount
        buffer.append(addingCapacity: total) { span in
            span.withUnsafeMutableBufferPointer { memory, count in
                var output = BinaryOutput(
                    UnsafeMutableRawBufferPointer(memory), offsetTable: table, offsetSize: offsetSize)
                write(to: &output, referenceSize: referenceSize)
                count = total
            }
        }
    }

    private func write(to output: inout BinaryOutput, referenceSize: Int) {
        output.put(UnsafeRawBufferPointer(start: BinaryMarker.header.utf8Start, count: BinaryMarker.headerCount))
        for index in 0..<leaves.starts.count { output.putOffset(BinaryMarker.headerCount + leaves.starts[index]) }
        output.put(UnsafeRawBufferPointer(start: leaves.bytes.pointer(at: 0), count: leaves.bytes.count))
        for data in longData {
            output.putOffset(output.position)
            output.putHead(kind: BinaryMarker.data, count: data.count)
            data.withUnsafeBytes { output.put($0) }
        }
        for index in 0..<containers.count {
            let container = containers[index]
            output.putOffset(output.position)
            output.putHead(kind: container.kind, count: container.count)
            for index in container.firstReference..<container.firstReference + container.references {
                output.put(number(references[index]), width: referenceSize)
            }
        }
        output.putTrailer(referenceSize: referenceSize, objects: objectCount, top: number(top))
    }

    /// Returns the final number of the object that a noted reference means.
    @inline(__always)
    private func number(_ reference: UInt32) -> UInt64 {
        if reference & (Self.containerBit | Self.dataBit) == 0 { return UInt64(reference) }
        if reference & Self.dataBit != 0 { return UInt64(reference & ~Self.dataBit) + UInt64(leaves.starts.count) }
        return UInt64(reference & ~Self.containerBit) + UInt64(leaves.starts.count + longData.count)
    }
}
