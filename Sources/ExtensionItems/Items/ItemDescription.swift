// ItemDescription: the descriptions of items and providers, as logs on Apple's systems have them (spec 1.5).

internal import Foundation

/// Returns the address of an object, as descriptions show it.
func address(of object: AnyObject) -> String { "0x" + String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16) }

/// Returns a dictionary in the old text form of property lists, keys in order.
func printed(_ dictionary: [AnyHashable: Any]) -> String { printed(dictionary as Any, depth: 0) }

/// The depth below which values are omitted: a dictionary may contain itself.
private let deepestPrinted = 16

private func printed(_ value: Any, depth: Int) -> String {
    guard depth < deepestPrinted else { return "…" }
    switch value {
    case let text as String: return quoted(text)
    case let text as NSAttributedString: return quoted(text.string)
    case let values as [AnyHashable: Any]:
        let lines = values.map { (quoted("\($0.key.base)"), printed($0.value, depth: depth + 1)) }.sorted {
            $0.0 < $1.0
        }
        return "{ " + lines.map { "\($0.0) = \($0.1); " }.joined() + "}"
    case let values as [Any]:
        return "( " + values.map { printed($0, depth: depth + 1) }.joined(separator: ", ")
            + (values.isEmpty ? ")" : " )")
    default: return quoted("\(value)")
    }
}

/// Returns the text itself if it is one word, else between quotation marks.
func quoted(_ text: String) -> String {
    let isWord =
        !text.isEmpty
        && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
    if isWord { return text }
    return text.reduce(into: "\"") { result, character in
        if character == "\"" || character == "\\" { result.append("\\") }
        result.append(character)
    } + "\""
}
