// PropertyListBinary: a property list from and to the binary form ("bplist00").

extension PropertyList {
    /// Reads one binary property list that takes all of `bytes`. Offsets in errors are relative to its first byte.
    ///
    /// May be called on any thread; the value holds nothing of `bytes`. Hostile input is refused in time and memory
    /// proportional to its length.
    public init(binary bytes: UnsafeRawBufferPointer, limits: PropertyListLimits) throws(PropertyListError) {
        var reader = try BinaryReader(bytes, limits: limits)
        self = try reader.readTop()
    }

    /// Reads one binary property list that takes all of `bytes`.
    public init(binary bytes: [UInt8], limits: PropertyListLimits) throws(PropertyListError) {
        self = try bytes.span.withUnsafeBytes { (bytes) throws(PropertyListError) in
            try PropertyList(binary: bytes, limits: limits)
        }
    }

    /// Encodes the binary form. The same value gives the same bytes, with the entries of dictionaries in their order.
    public func encodeBinary() throws(PropertyListError) -> [UInt8] {
        var buffer: [UInt8] = []
        try encodeBinary(into: &buffer)
        return buffer
    }

    /// Appends the binary form to `buffer`; offsets inside it count from its own first byte.
    ///
    /// Throws `tooDeep` beyond `PropertyListLimits.greatestDepth` and leaves `buffer` as it was.
    public func encodeBinary(into buffer: inout [UInt8]) throws(PropertyListError) {
        try BinaryWriter(self).write(into: &buffer)
    }
}
