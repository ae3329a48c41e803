// PropertyListFile: a property list from a file on disk, as XML or in the form that its first bytes show.

/// The strictness of a reader of XML.
public enum XMLForm: Sendable, Hashable {
    /// Repeated keys and attributes are errors: for files that nobody else has read, such as a configuration.
    case strict
    /// Attributes have no effect, and the last of equal keys counts: for files of bundles, which Xcode accepts so.
    ///
    /// Core Foundation (CFPropertyList.c) reads them in this way.
    case authored
}

/// A key that occurs again in its dictionary.
public struct RepeatedKey: Sendable, Hashable {
    /// The path from the top, with dots between keys, and with indices such as `[0]`.
    public let path: String
    /// The line of the later occurrence.
    public let line: Int

    init(path: String, line: Int) {
        self.path = path
        self.line = line
    }
}

extension PropertyList {
    /// Reads one XML property list that takes all of `bytes`: UTF-8, no entities of its own.
    ///
    /// Errors carry line and column.
    ///
    /// May be called on any thread. Hostile input is refused in time and memory proportional to its length.
    public init(xml bytes: [UInt8], limits: PropertyListLimits, form: XMLForm = .strict) throws(PropertyListError) {
        self = try bytes.withUnsafeBufferPointer { (bytes) throws(PropertyListError) in
            var reader = try XMLReader(bytes, limits: limits, form: form)
            return try reader.readDocument()
        }
    }

    /// Returns the keys that occur again in the dictionaries of a file of a bundle, in the file's order.
    ///
    /// At most 64 are returned. A file that cannot be read has none, and neither has a binary one.
    ///
    /// - Parameters:
    ///   - bytes: the file's contents.
    ///   - limits: the limits of the reading.
    public static func repeatedKeys(inFile bytes: [UInt8], limits: PropertyListLimits) -> [RepeatedKey] {
        guard !bytes.starts(with: "bplist".utf8) else { return [] }
        return bytes.withUnsafeBufferPointer { bytes in
            guard var reader = try? XMLReader(bytes, limits: limits, form: .authored, keepsPaths: true),
                (try? reader.readDocument()) != nil
            else { return [] }
            return reader.repeated
        }
    }

    /// Reads a file's contents, binary or XML.
    ///
    /// Old-style text (`{ key = value; }`, `.strings`) and bare words, which Foundation takes for strings, are refused.
    ///
    /// - Parameters:
    ///   - bytes: the contents.
    ///   - limits: the limits of the reading.
    ///   - form: the strictness for XML. The binary form has no repeated keys.
    public init(file bytes: [UInt8], limits: PropertyListLimits, form: XMLForm = .strict) throws(PropertyListError) {
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
        case UInt8(ascii: "<"): try self.init(xml: bytes, limits: limits, form: form)
        // A dictionary, an array, a string, a comment.
        case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "\""), UInt8(ascii: "/"):
            throw .oldStyle(beginning: excerpt(text))
        default: throw .notPropertyList(beginning: excerpt(text))
        }
    }
}
