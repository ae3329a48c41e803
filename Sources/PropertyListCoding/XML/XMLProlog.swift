// XMLProlog: what stands before <plist>: the XML declaration and the document type, read for what must be refused.

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

    /// Reads only UTF-8, and so also ASCII; anything else would be read wrongly.
    private mutating func declaration() throws(PropertyListError) {
        let start = position
        try skip(through: "?>", of: "XML declaration")
        // Byte by byte: every file has one, and a search among characters takes longer than the rest of a small file.
        var rest = bytes[start..<position]
        while !rest.isEmpty, !rest.starts(with: "encoding".utf8) { rest.removeFirst() }
        rest = rest.dropFirst(8).drop { $0 == 0x20 || $0 == 0x3D }
        guard let quote = rest.popFirst(), quote == 0x22 || quote == 0x27 else { return }
        let name = rest.prefix { $0 != quote }
        guard Self.isReadable(encoding: name) else { throw .unsupportedEncoding(excerpt(name), at: place(start)) }
    }

    /// In either case of letters.
    private static func isReadable(encoding name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        ["UTF-8", "UTF8", "US-ASCII", "ASCII"].contains { (known: StaticString) in
            name.elementsEqual(UnsafeBufferPointer(start: known.utf8Start, count: known.utf8CodeUnitCount)) { own, known in
                own == known || 0x61...0x7A ~= own && own - 0x20 == known
            }
        }
    }

    /// Skips the name and the identifiers of the document type, which nothing is fetched from.
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
