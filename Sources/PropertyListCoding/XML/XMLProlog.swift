// XMLProlog: the XML declaration and the document type before <plist>, checked for what must be refused.

extension XMLScanner {
    mutating func prolog() throws(PropertyListError) {
        skipSpace()
        if starts(with: "<?xml") { try declaration() }
        try skipMisc()
        if skip("<!DOCTYPE") {
            try documentType()
            try skipMisc()
        }
    }

    /// Reads the declaration. Only UTF-8 is accepted, and so also ASCII; another encoding would be read wrongly.
    private mutating func declaration() throws(PropertyListError) {
        let start = position
        try skip(through: "?>", of: "XML declaration")
        // The loop goes byte by byte: every file has a declaration, and a search of characters takes longer than the
        // rest of a small file.
        var rest = bytes[start..<position]
        while !rest.isEmpty, !rest.starts(with: "encoding".utf8) { rest.removeFirst() }
        rest = rest.dropFirst(8).drop { $0 == 0x20 || $0 == 0x3D }
        guard let quote = rest.popFirst(), quote == 0x22 || quote == 0x27 else { return }
        let name = rest.prefix { $0 != quote }
        guard Self.isReadable(encoding: name) else { throw .unsupportedEncoding(excerpt(name), at: place(start)) }
    }

    /// Whether this reader can read an encoding; the case of letters does not count.
    private static func isReadable(encoding name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        ["UTF-8", "UTF8", "US-ASCII", "ASCII"].contains { (known: StaticString) in
            name.elementsEqual(UnsafeBufferPointer(start: known.utf8Start, count: known.utf8CodeUnitCount)) {
                own, known in
                own == known || 0x61...0x7A ~= own && own - 0x20 == known
            }
        }
    }

    /// Skips the name and the identifiers of the document type; nothing is fetched.
    private mutating func documentType() throws(PropertyListError) {
        skipSpace()
        guard name().elementsEqual("plist".utf8) else { throw unexpected("a document type “plist”") }
        skipSpace()
        if skip("PUBLIC") {
            skipSpace()
            try quoted("public identifier")
            skipSpace()
            if next == 0x22 || next == 0x27 { try quoted("system identifier") }
        } else if skip("SYSTEM") {
            skipSpace()
            try quoted("system identifier")
        }
        skipSpace()
        if next == 0x5B { throw .internalSubset(at: place) }
        guard skip(">") else { throw unexpected("“>” at the end of the document type") }
    }
}
