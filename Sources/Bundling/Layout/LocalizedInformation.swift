// LocalizedInformation: the `InfoPlist.strings` of a bundle, with the keys of its `Info.plist`.

import Foundation
import LinuxSystem

/// The completion of each `InfoPlist.strings` in a bundle.
///
/// Linux's Foundation answers `object(forInfoDictionaryKey:)` from that file alone if the bundle has one. Thus the file
/// of the bundle gets all other keys of `Info.plist`. The author's file stays unchanged.
enum LocalizedInformation {
    private static let (languagesLimit, sizeLimit) = (1000, 1 << 20)

    /// - Parameters:
    ///   - bundle: the folder of the bundle, with its resources.
    ///   - information: the bytes of its `Info.plist`.
    static func complete(in bundle: String, with information: [UInt8]) throws {
        guard let all = dictionary(information) else { return }
        for folder in try listDirectory(bundle, maximumCount: 20_000).filter({ $0.hasSuffix(".lproj") }).sorted()
            .prefix(languagesLimit)
        {
            let file = "\(bundle)/\(folder)/InfoPlist.strings"
            // A file that cannot be read stays as it is: Foundation passes over it, too.
            guard let bytes = try? readFile(file, maximumSize: sizeLimit), let own = dictionary(bytes) else { continue }
            let data = try PropertyListSerialization.data(
                fromPropertyList: all.merging(own) { $1 }, format: .binary, options: 0)
            try data.write(to: URL(fileURLWithPath: file))
        }
    }

    private static func dictionary(_ bytes: [UInt8]) -> [String: Any]? {
        try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? [String: Any]
    }
}
