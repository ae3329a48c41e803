// KeyLines: the line of each key in an XML property list.

/// The lines of the keys in a document that was already parsed as a property list, so it reports no errors.
///
/// It does not recurse. Its time is proportional to the length, and its memory is bounded by the depth and by the
/// length of a stored key.
struct KeyLines {
    /// The maximum depth of a key that is stored. `keyLimit` is the maximum size of a key's text, in bytes.
    private static let depthLimit = 8
    private static let keyLimit = 128

    private var lines: [String: Int] = [:]
    private var valueLines: [String: Int] = [:]

    private struct Frame {
        /// The key path to this dictionary or array.
        let path: String
        /// The index of an array's next element; nil for a dictionary.
        var index: Int?
        /// The key path to a dictionary's next value.
        var next = ""
    }

    /// Returns the key's line. If the key is missing, it is the line of the nearest one around it, or finally of the
    /// root.
    func line(_ key: String) -> Int? {
        var key = key[...]
        while true {
            if let line = lines[String(key)] { return line }
            guard let cut = key.lastIndex(where: { $0 == "." || $0 == "[" }) else { return lines[""] }
            key = key[..<cut]
        }
    }

    /// Returns the line on which the text of a key's value begins.
    func valueLine(_ key: String) -> Int? { valueLines[key] }

    init(_ bytes: [UInt8]) {
        var scanner = TagScanner(bytes)
        var frames: [Frame] = []
        while let tag = scanner.next() {
            switch tag.name {
            case "key" where !tag.isEnd:
                guard var frame = frames.popLast() else { continue }
                let key = scanner.text(limit: Self.keyLimit)
                frame.next = frame.path.isEmpty ? key : "\(frame.path).\(key)"
                if frames.count < Self.depthLimit {
                    // The last of equal keys counts, and with it the last dictionary.
                    lines[frame.next] = tag.line
                }
                frames.append(frame)
            case "key", "plist": continue
            case "dict" where tag.isEnd, "array" where tag.isEnd: _ = frames.popLast()
            default:
                guard !tag.isEnd else { continue }
                var path = ""
                if var frame = frames.popLast() {
                    path = frame.next
                    if let index = frame.index {
                        path = "\(frame.path)[\(index)]"
                        frame.index = index + 1
                        if frames.count < Self.depthLimit { lines[path] = tag.line }
                    }
                    frames.append(frame)
                    if frames.count <= Self.depthLimit { valueLines[path] = tag.line }
                } else {
                    lines[""] = tag.line
                }
                guard !tag.isEmpty, tag.name == "dict" || tag.name == "array" else { continue }
                let kept = frames.count < Self.depthLimit ? path : ""
                frames.append(Frame(path: kept, index: tag.name == "array" ? 0 : nil))
            }
        }
    }
}

/// A scanner of tags, each with the line on which it ends.
private struct TagScanner {
    struct Tag {
        let name: String
        let isEnd: Bool
        let isEmpty: Bool
        let line: Int
    }

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private mutating func step() {
        let byte = bytes[position]
        // CR LF is one line end.
        if byte == 0x0A || byte == 0x0D && !(position + 1 < bytes.count && bytes[position + 1] == 0x0A) { line += 1 }
        position += 1
    }

    private func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard count <= bytes.count - position else { return false }
        for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
        return true
    }

    private mutating func skip(through mark: StaticString) {
        while position < bytes.count, !starts(with: mark) { step() }
        position = min(position + mark.utf8CodeUnitCount, bytes.count)
    }

    mutating func next() -> Tag? {
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "<") else {
                step()
                continue
            }
            if starts(with: "<!--") {
                skip(through: "-->")
            } else if starts(with: "<?") {
                skip(through: "?>")
            } else if starts(with: "<![CDATA[") {
                skip(through: "]]>")
            } else if starts(with: "<!") {
                skip(through: ">")
            } else {
                return tag()
            }
        }
        return nil
    }

    private mutating func tag() -> Tag? {
        position += 1
        let isEnd = position < bytes.count && bytes[position] == UInt8(ascii: "/")
        if isEnd { position += 1 }
        let start = position
        while position < bytes.count, (0x61...0x7A).contains(bytes[position]) { position += 1 }
        let name = String(decoding: bytes[start..<position].prefix(16), as: UTF8.self)
        // An attribute may contain the sign that ends the tag.
        var quote: UInt8?
        while position < bytes.count, quote != nil || bytes[position] != UInt8(ascii: ">") {
            let byte = bytes[position]
            if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
            step()
        }
        guard position < bytes.count else { return nil }
        let isEmpty = bytes[position - 1] == UInt8(ascii: "/") && !isEnd
        position += 1
        return Tag(name: name, isEnd: isEnd, isEmpty: isEmpty, line: line)
    }

    /// Returns the text up to the next tag, with its entities. No key that is looked up contains one.
    mutating func text(limit: Int) -> String {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") { step() }
        return String(decoding: bytes[start..<position].prefix(limit), as: UTF8.self)
    }
}
