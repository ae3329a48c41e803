// messages: a kind's number (two bytes, as in a packet's header) and a property list, read as that message.

import ExtensionProtocol
import PropertyListCoding

let inputPrefix = 2
let inputWords =
    Key.allCases.map(\.rawValue) + Cause.allCases.map(\.rawValue) + OutcomeKind.allCases.map(\.rawValue)
    + HostStateName.allCases.map(\.rawValue) + HostNotification.allCases.map(\.rawValue)
    + [
        "host", "extension", "control", "1.0", "1.65535", "01.+1", "6BA7B810-9DAD-41D1-80B4-00C04FD430C8",
        "6ba7b810-9dad-41d1-80b4-00c04fd430c8", "5min", "1e9s",
    ]
let inputTakesXML = false

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = InputReader(start, count)
    let kind = MessageKind(rawValue: input.word())
    let value: PropertyList
    do {
        value = try PropertyList(binary: input.all(), limits: .packet)
    } catch {
        checkText(of: error)
        return 0
    }
    readTexts(in: value)
    guard let dictionary = value.dictionary else { return 0 }
    if let reader = kind.flatMap({ MessageReader.all[$0] }) {
        _ = reader.accepts(dictionary)
    } else {
        for reader in MessageReader.all.values { _ = reader.accepts(dictionary) }
    }
    return 0
}

/// The small forms inside of strings, on every string of the value.
private func readTexts(in value: PropertyList) {
    switch value {
    case .string(let text):
        if let identifier = RequestIdentifier(text) {
            must(RequestIdentifier(identifier.description) == identifier, "an identifier changes: \(text)")
            must(identifier.description == text.uppercased(), "another identifier than was written: \(text)")
        }
        if let version = ProtocolVersion(wire: value) {
            must(version.description == text, "another version than was written: \(text)")
        }
        if let duration = Duration(written: text) { must(duration >= .zero, "a negative duration: \(text)") }
    case .array(let items): for item in items { readTexts(in: item) }
    case .dictionary(let entries): for (_, value) in entries { readTexts(in: value) }
    default: break
    }
}
