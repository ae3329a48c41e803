// GroupName: the name of an extension's control group, for people who read the tree of groups.

import ExtensionProtocol

/// The name of a group: `NUMBER-IDENTIFIER-REQUEST`, for example `12-com.example.share-1B4E28BA`.
///
/// The number makes the name unique. The request is the first eight characters of the one that the process was launched
/// for.
enum GroupName {
    /// The most bytes of the identifier in a name; the kernel takes 255 for a name (cgroups(7)).
    private static let longestIdentifier = 160

    /// Returns the name of a group.
    ///
    /// A bundle chooses its identifier freely. So every byte that is not a letter, digit, point, hyphen or underscore
    /// becomes an underscore. The number comes first, so no name begins with a point.
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
