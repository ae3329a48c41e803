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
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let encoding = text.firstRange(of: "encoding") else { return }
        let value = text[encoding.upperBound...].drop { $0 == " " || $0 == "=" }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return }
        let name = value.dropFirst().prefix { $0 != quote }
        guard ["UTF-8", "UTF8", "US-ASCII", "ASCII"].contains(name.uppercased()) else {
            throw .unsupportedEncoding(excerpt(name.utf8), at: place(start))
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
