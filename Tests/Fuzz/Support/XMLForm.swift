// XMLForm: a value as an XML property list, so that the two readers can be held against each other.

import PropertyListCoding

enum XMLForm {
    /// Nil for what XML has no characters for, and for dates, which it keeps to the second only.
    static func written(_ value: PropertyList) -> [UInt8]? {
        var text = "<plist>"
        guard append(value, to: &text) else { return nil }
        return Array((text + "</plist>").utf8)
    }

    private static func append(_ value: PropertyList, to text: inout String) -> Bool {
        switch value {
        case .boolean(let flag): text += flag ? "<true/>" : "<false/>"
        case .integer(let number): text += "<integer>\(number)</integer>"
        case .real(let number): text += "<real>\(number.isNaN ? "nan" : "\(number)")</real>"
        case .date: return false
        case .string(let string): return append(string, as: "string", to: &text)
        case .data(let bytes): text += "<data>\(base64(bytes))</data>"
        case .array(let items):
            text += "<array>"
            for item in items { guard append(item, to: &text) else { return false } }
            text += "</array>"
        case .dictionary(let entries):
            text += "<dict>"
            for (key, value) in entries {
                guard append(key, as: "key", to: &text), append(value, to: &text) else { return false }
            }
            text += "</dict>"
        }
        return true
    }

    private static func append(_ string: String, as element: String, to text: inout String) -> Bool {
        text += "<\(element)>"
        for scalar in string.unicodeScalars {
            switch scalar.value {
            case 0x3C: text += "&lt;"
            case 0x26: text += "&amp;"
            case 0x0D: text += "&#13;"
            case 9, 10, 0x20...0xFFFD, 0x10000...: text.unicodeScalars.append(scalar)
            default: return false
            }
        }
        text += "</\(element)>"
        return true
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let symbols = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".unicodeScalars)
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = Array(bytes[start..<min(start + 3, bytes.count)])
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0...3 {
                text.unicodeScalars.append(index <= group.count ? symbols[bits >> (18 - 6 * index) & 63] : "=")
            }
        }
        return text
    }
}
