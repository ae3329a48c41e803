// XMLElement: the elements of a property list's document type.

enum XMLElement: String {
    case plist, dict, key, array, string, integer, real, date, data
    case yes = "true"
    case no = "false"

    /// Finds the element by its name; nil for any other name.
    ///
    /// The name is compared as one number: a document has as many names as values.
    init?(_ name: Slice<UnsafeBufferPointer<UInt8>>) {
        guard name.count <= 7 else { return nil }
        var word: UInt64 = 0
        for byte in name { word = word << 8 | UInt64(byte) }
        switch word {
        case 0x6b_6579: self = .key
        case 0x6469_6374: self = .dict
        case 0x7472_7565: self = .yes
        case 0x6461_7461: self = .data
        case 0x6461_7465: self = .date
        case 0x7265_616c: self = .real
        case 0x61_7272_6179: self = .array
        case 0x66_616c_7365: self = .no
        case 0x70_6c69_7374: self = .plist
        case 0x7374_7269_6e67: self = .string
        case 0x69_6e74_6567_6572: self = .integer
        default: return nil
        }
    }

    /// The usual spelling of the end tag.
    var endTag: StaticString {
        switch self {
        case .plist: "</plist>"
        case .dict: "</dict>"
        case .key: "</key>"
        case .array: "</array>"
        case .string: "</string>"
        case .integer: "</integer>"
        case .real: "</real>"
        case .date: "</date>"
        case .data: "</data>"
        case .yes: "</true>"
        case .no: "</false>"
        }
    }
}
