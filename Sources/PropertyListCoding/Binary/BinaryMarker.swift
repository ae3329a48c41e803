// BinaryMarker: the first byte of each object in the binary form: type in the upper half, size in the lower.

enum BinaryMarker {
    static let header: StaticString = "bplist00"
    static let headerCount = 8
    static let trailerCount = 32

    static let null: UInt8 = 0x00
    static let no: UInt8 = 0x08
    static let yes: UInt8 = 0x09
    static let url: UInt8 = 0x0C
    static let baseURL: UInt8 = 0x0D
    static let uuid: UInt8 = 0x0E
    static let fill: UInt8 = 0x0F
    static let real32: UInt8 = 0x22
    static let real64: UInt8 = 0x23
    static let date: UInt8 = 0x33

    // These have the upper half alone.
    static let simple: UInt8 = 0x0
    static let integer: UInt8 = 0x1
    static let real: UInt8 = 0x2
    static let dateKind: UInt8 = 0x3
    static let data: UInt8 = 0x4
    static let ascii: UInt8 = 0x5
    static let utf16: UInt8 = 0x6
    static let utf8: UInt8 = 0x7
    static let uid: UInt8 = 0x8
    static let array: UInt8 = 0xA
    static let orderedSet: UInt8 = 0xB
    static let set: UInt8 = 0xC
    static let dictionary: UInt8 = 0xD

    /// Returns the name, for an error, of an object that other programs write and that is no value here.
    static func unsupportedName(_ marker: UInt8) -> String? {
        switch (marker >> 4, marker) {
        case (_, null): "null"
        case (_, url), (_, baseURL): "URL"
        case (_, uuid): "UUID"
        case (_, fill): "fill byte"
        case (utf8, _): "UTF-8 string"
        case (uid, _): "UID (of a keyed archive)"
        case (orderedSet, _): "ordered set"
        case (set, _): "set"
        default: nil
        }
    }
}
