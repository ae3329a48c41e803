// GroupName: the name of an extension's control group: what somebody who looks at the tree of groups reads.

import ExtensionProtocol

/// `NUMBER-IDENTIFIER-REQUEST`: `12-com.example.share-1B4E28BA`. The number makes it unique, the request is the first that the process was launched for,
/// by its first eight characters.
enum GroupName {
    /// Bytes of a name; the kernel takes 255 (cgroups(7)).
    private static let longestIdentifier = 160

    /// Identifiers are a bundle's word: what is neither letter, digit, point, hyphen nor underscore becomes an underscore, and no name begins with a
    /// point.
    static func text(_ number: Int, _ identifier: String, _ request: RequestIdentifier?) -> String {
        let bytes = identifier.utf8.prefix(longestIdentifier).map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                byte
            default: UInt8(ascii: "_")
            }
        }
        let name = "\(number)-\(String(decoding: bytes, as: UTF8.self))"
        return request.map { "\(name)-\($0.description.prefix(8))" } ?? name
    }
}
