// XMLValues: the values of the text of <integer>, <real>, <date> and <data>; nil for text that has none.

enum XMLValues {
    enum Integer {
        case value(Int64)
        case outOfRange
        case malformed
    }

    /// Reads a decimal or 0x… hexadecimal integer, with a sign or without.
    static func integer(_ text: String) -> Integer {
        var digits = trimmed(text)
        var sign = ""
        if let first = digits.first, first == "-" || first == "+" {
            sign = first == "-" ? "-" : ""
            digits = digits.dropFirst()
        }
        let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        if isHexadecimal { digits = digits.dropFirst(2) }
        let isDigit: (UInt8) -> Bool =
            isHexadecimal
            ? { 0x30...0x39 ~= $0 || 0x41...0x46 ~= $0 || 0x61...0x66 ~= $0 }
            : { 0x30...0x39 ~= $0 }
        guard !digits.isEmpty, digits.utf8.allSatisfy(isDigit) else { return .malformed }
        guard let value = Int64(sign + digits, radix: isHexadecimal ? 16 : 10) else { return .outOfRange }
        return .value(value)
    }

    static func real(_ text: String) -> Double? {
        let number = trimmed(text)
        // The initialiser also takes hexadecimal and payloads of nan, which no property list has.
        let unsigned = number.first == "-" || number.first == "+" ? number.dropFirst() : number
        switch unsigned.lowercased() {
        case "nan": return .nan
        case "inf", "infinity": return number.first == "-" ? -.infinity : .infinity
        default:
            let isNumeric = unsigned.utf8.allSatisfy {
                0x2B...0x39 ~= $0 && $0 != 0x2C && $0 != 0x2F || $0 | 0x20 == 0x65
            }
            return isNumeric ? Double(number) : nil
        }
    }

    /// Reads `2026-11-21T12:00:00Z`, in seconds since 2001-01-01 00:00:00 UTC.
    static func date(_ text: String) -> Double? {
        let text = Array(trimmed(text).utf8)
        guard text.count == 20, text[4] == 0x2D, text[7] == 0x2D, text[10] == 0x54, text[13] == 0x3A, text[16] == 0x3A,
            text[19] == 0x5A
        else { return nil }
        func field(_ range: Range<Int>) -> Int? {
            var value = 0
            for byte in text[range] {
                guard 0x30...0x39 ~= byte else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            return value
        }
        guard let year = field(0..<4), let month = field(5..<7), let day = field(8..<10), let hour = field(11..<13),
            let minute = field(14..<16), let second = field(17..<19), year > 0, 1...12 ~= month, hour < 24, minute < 60,
            second < 60, 1...CivilDay.daysIn(month: month, year: year) ~= day
        else { return nil }
        let days = CivilDay.daysSince2001(year: year, month: month, day: day)
        return Double(((days * 24 + hour) * 60 + minute) * 60 + second)
    }

    /// Reads Base64 with spaces anywhere.
    static func data(_ text: String) -> [UInt8]? { text.withBytes { Base64.decode($0) } }

    private static func trimmed(_ text: String) -> Substring {
        var view = text.utf8[...]
        while let first = view.first, XMLScanner.isSpace(first) { view.removeFirst() }
        while let last = view.last, XMLScanner.isSpace(last) { view.removeLast() }
        return Substring(view)
    }
}
