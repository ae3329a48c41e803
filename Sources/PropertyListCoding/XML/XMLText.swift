// XMLText: the character data of one element, with references, CDATA and line ends resolved.

extension XMLScanner {
    /// Reads the text up to the end tag of `element`, which is consumed; at most `limit` bytes, nil if there are more.
    mutating func text(of element: XMLElement, limit: Int) throws(PropertyListError) -> String? {
        let start = position
        // Nearly all text is plain: one piece up to the end tag.
        try skipPlain()
        if starts(with: "</") {
            guard position - start <= limit else { return nil }
            let piece = UnsafeBufferPointer(rebasing: bytes[start..<position])
            guard let text = String(ascii: UnsafeRawBufferPointer(piece)) ?? String(validating: piece, as: UTF8.self)
            else {
                throw .invalidText(at: place(start))
            }
            try endTag(element)
            return text
        }
        var collected = Array(bytes[start..<position])
        while collected.count <= limit {
            if starts(with: "</") {
                guard let text = String(validating: collected, as: UTF8.self) else {
                    throw .invalidText(at: place(start))
                }
                try endTag(element)
                return text
            }
            try piece(into: &collected, of: element)
        }
        return nil
    }

    /// Moves over characters that stand for themselves.
    private mutating func skipPlain() throws(PropertyListError) {
        // The loop skips eight bytes at a time, while none of them ends the text or is forbidden.
        while position + 8 <= bytes.count, Self.isPlain(UnsafeRawPointer(bytes.baseAddress! + position)) {
            position += 8
        }
        while position < bytes.count {
            switch bytes[position] {
            case 0x3C, 0x26, 0x0D: return
            case 0x20..., 0x09, 0x0A: position += 1
            case let control: throw .invalidCharacter(UInt32(control), at: place)
            }
        }
    }

    /// Whether none of eight bytes is a control character, “<” or “&”; returns `false` for some others, too.
    @inline(__always)
    private static func isPlain(_ start: UnsafeRawPointer) -> Bool {
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let word = start.loadUnaligned(as: UInt64.self)
        // The highest bit of a byte is set if the byte is 0, or follows one that is.
        func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
        // The bit is set if the byte is less than 32, or follows one that is.
        let controls = (word &- ones &* 0x20) & ~word
        return (controls | zeros(word ^ ones &* 0x3C) | zeros(word ^ ones &* 0x26)) & highs == 0
    }

    private mutating func piece(into text: inout [UInt8], of element: XMLElement) throws(PropertyListError) {
        let start = position
        switch next {
        case nil: throw unexpected("</\(element.rawValue)>")
        case 0x26: try reference(into: &text)
        case 0x0D:
            // XML 1.0, 2.11: a line ends in one line feed, whatever the file has.
            position += 1
            _ = skip("\n")
            text.append(0x0A)
        case 0x3C:
            if skip("<![CDATA[") {
                try skip(through: "]]>", of: "CDATA section")
                try appendCharacters(start + 9..<position - 3, to: &text)
            } else if skip("<!--") {
                try skip(through: "-->", of: "comment")
            } else {
                throw unexpected("</\(element.rawValue)>")
            }
        default:
            try skipPlain()
            text.append(contentsOf: bytes[start..<position])
        }
    }

    private func appendCharacters(_ range: Range<Int>, to text: inout [UInt8]) throws(PropertyListError) {
        for index in range {
            let byte = bytes[index]
            guard byte >= 0x20 || Self.isSpace(byte) else { throw .invalidCharacter(UInt32(byte), at: place(index)) }
            if byte != 0x0D {
                text.append(byte)
            } else if index + 1 == bytes.count || bytes[index + 1] != 0x0A {
                text.append(0x0A)
            }
        }
    }

    /// Reads `&name;`, `&#number;` or `&#xnumber;`.
    private mutating func reference(into text: inout [UInt8]) throws(PropertyListError) {
        let start = position
        position += 1
        if skip("#") {
            let isHexadecimal = skip("x")
            let digits = name()
            guard let value = number(digits, radix: isHexadecimal ? 16 : 10), skip(";") else {
                let found = excerpt(bytes[start...], limit: 12)
                throw .unexpected("“\(found)”", expected: "a character’s number", at: place(start))
            }
            guard let scalar = Unicode.Scalar(value), value >= 0x20 || value == 9 || value == 10 || value == 13,
                value != 0xFFFE, value != 0xFFFF
            else { throw .invalidCharacter(value, at: place(start)) }
            text.append(contentsOf: String(scalar).utf8)
            return
        }
        let name = name()
        guard skip(";") else {
            let found = excerpt(bytes[start...], limit: 12)
            throw .unexpected("“\(found)”", expected: "an entity that ends in “;”", at: place(start))
        }
        switch String(decoding: name.prefix(8), as: UTF8.self) {
        case "lt": text.append(0x3C)
        case "gt": text.append(0x3E)
        case "amp": text.append(0x26)
        case "quot": text.append(0x22)
        case "apos": text.append(0x27)
        default: throw .unknownEntity(excerpt(name), at: place(start))
        }
    }

    private func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>, radix: UInt32) -> UInt32? {
        guard digits.count <= 10 else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: Int(radix))
    }
}
