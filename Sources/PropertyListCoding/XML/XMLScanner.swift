// XMLScanner: the tags and text of an XML document, one after the other, without a tree.

/// A pull parser for the part of XML that property lists use.
///
/// It declares no entities and fetches nothing. It neither recurses nor backtracks, so a document costs time
/// proportional to its length.
struct XMLScanner {
    enum Tag {
        case start(XMLElement, isEmpty: Bool)
        case end(XMLElement)
    }

    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    private let form: XMLForm

    init(_ bytes: UnsafeBufferPointer<UInt8>, form: XMLForm) {
        self.bytes = bytes
        self.form = form
        if starts(with: "\u{FEFF}") { position = 3 }
    }

    // MARK: Places

    /// Returns the line and column of a byte, counted only when an error needs them.
    func place(_ position: Int) -> PropertyListPlace {
        var line = 1
        var column = 1
        for (index, byte) in bytes.prefix(position).enumerated() {
            switch byte {
            case 0x0A, 0x0D:
                if byte == 0x0A, index > 0, bytes[index - 1] == 0x0D { continue }  // one end of line
                line += 1
                column = 1
            case 0x80..<0xC0: break
            default: column += 1
            }
        }
        return .line(line, column: column)
    }

    var place: PropertyListPlace { place(position) }

    /// Returns the text at the position, for an error.
    func found() -> String {
        isAtEnd ? "the end of the document" : "“\(excerpt(bytes[position...].prefix { $0 != 0x0A }, limit: 24))”"
    }

    func unexpected(_ expected: String) -> PropertyListError {
        .unexpected(found(), expected: expected, at: place)
    }

    // MARK: Bytes

    var isAtEnd: Bool { position >= bytes.count }

    var next: UInt8? { isAtEnd ? nil : bytes[position] }

    func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard count <= bytes.count - position else { return false }
        for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
        return true
    }

    mutating func skip(_ text: StaticString) -> Bool {
        guard starts(with: text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D }

    mutating func skipSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    /// Moves behind the next `mark`.
    mutating func skip(through mark: StaticString, of what: String) throws(PropertyListError) {
        let start = position
        let first = mark.utf8Start[0]
        while position < bytes.count {
            if bytes[position] == first, skip(mark) { return }
            position += 1
        }
        throw .unexpected("the end of the document", expected: "the end “\(mark)” of the \(what)", at: place(start))
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x2D, 0x2E, 0x3A, 0x5F, 0x80...: true
        default: false
        }
    }

    mutating func name() -> Slice<UnsafeBufferPointer<UInt8>> {
        let start = position
        while position < bytes.count, Self.isName(bytes[position]) { position += 1 }
        return bytes[start..<position]
    }

    // MARK: Between elements

    /// Skips spaces, comments and processing instructions.
    mutating func skipMisc() throws(PropertyListError) {
        while true {
            skipSpace()
            // Nearly always a tag follows, or its end.
            guard position + 1 < bytes.count, bytes[position] == 0x3C,
                bytes[position + 1] == 0x21 || bytes[position + 1] == 0x3F
            else { return }
            if skip("<!--") {
                try skip(through: "-->", of: "comment")
            } else if skip("<?") {
                try skip(through: "?>", of: "processing instruction")
            } else {
                return
            }
        }
    }

    /// Reads the next tag, after spaces and comments; text in front of it is an error.
    mutating func tag(expecting expected: @autoclosure () -> String) throws(PropertyListError) -> Tag {
        try skipMisc()
        guard next == 0x3C else { throw unexpected(expected()) }
        let start = position
        position += 1
        let isEnd = next == 0x2F
        if isEnd { position += 1 }
        let name = name()
        guard !name.isEmpty else {
            position = start
            throw unexpected(expected())
        }
        guard let element = XMLElement(name) else { throw .unknownElement(excerpt(name), at: place(start)) }
        if isEnd {
            skipSpace()
            guard skip(">") else { throw unexpected("“>”") }
            return .end(element)
        }
        if next == 0x3E {
            position += 1
            return .start(element, isEmpty: false)
        }
        try skipAttributes(of: element)
        let isEmpty = skip("/")
        guard skip(">") else { throw unexpected("“>”") }
        return .start(element, isEmpty: isEmpty)
    }

    mutating func endTag(_ element: XMLElement) throws(PropertyListError) {
        if skip(element.endTag) { return }
        let start = position
        guard case .end(element) = try tag(expecting: "</\(element.rawValue)>") else {
            position = start
            try skipMisc()
            throw unexpected("</\(element.rawValue)>")
        }
    }

    /// Skips the attributes, none of which has an effect. The strict form has only `<plist version="…">`.
    private mutating func skipAttributes(of element: XMLElement) throws(PropertyListError) {
        while true {
            skipSpace()
            let start = position
            let name = name()
            if name.isEmpty { return }
            guard form == .authored || element == .plist && name.elementsEqual("version".utf8) else {
                throw .unknownAttribute(excerpt(name), element: element.rawValue, at: place(start))
            }
            skipSpace()
            guard skip("=") else { throw unexpected("“=”") }
            skipSpace()
            try quoted("attribute")
        }
    }

    mutating func quoted(_ what: String) throws(PropertyListError) {
        if skip("\"") {
            try skip(through: "\"", of: what)
        } else if skip("'") {
            try skip(through: "'", of: what)
        } else {
            throw unexpected("a quoted \(what)")
        }
    }
}
