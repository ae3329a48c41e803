// PropertyListFile: a property list from a file on disk, as XML or in the form that its first bytes show.

extension PropertyList {
    /// Reads one XML property list that takes all of `bytes`: UTF-8, no entities of its own.
    ///
    /// Errors carry line and column.
    ///
    /// May be called on any thread. Hostile input is refused in time and memory proportional to its length.
    public init(xml bytes: [UInt8], limits: PropertyListLimits) throws(PropertyListError) {
        self = try bytes.withUnsafeBufferPointer { (bytes) throws(PropertyListError) in
            var reader = try XMLReader(bytes, limits: limits)
            return try reader.readDocument()
        }
    }

    /// Reads a file's contents, binary or XML.
    ///
    /// Old-style text (`{ key = value; }`, `.strings`) and bare words, which Foundation takes for strings, are refused.
    public init(file bytes: [UInt8], limits: PropertyListLimits) throws(PropertyListError) {
        guard bytes.count <= limits.bytes else { throw .tooManyBytes(count: bytes.count, limit: limits.bytes) }
        if bytes.starts(with: "bplist".utf8) {
            try self.init(binary: bytes, limits: limits)
            return
        }
        if bytes.count >= 2 {
            switch (bytes[0], bytes[1]) {
            // A byte-order mark, or “<” in two bytes.
            case (0xFE, 0xFF), (0xFF, 0xFE), (0, 0x3C), (0x3C, 0):
                throw .unsupportedEncoding("UTF-16", at: .line(1, column: 1))
            default: break
            }
        }
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let text = content.drop(while: XMLScanner.isSpace)
        switch text.first {
        case nil: throw .empty
        case UInt8(ascii: "<"): try self.init(xml: bytes, limits: limits)
        // A dictionary, an array, a string, a comment.
        case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "\""), UInt8(ascii: "/"):
            throw .oldStyle(beginning: excerpt(text))
        default: throw .notPropertyList(beginning: excerpt(text))
        }
    }
}
