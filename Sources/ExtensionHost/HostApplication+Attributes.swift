// HostApplication+Attributes: the attributes that an extension declares for its extension point.

import ExtensionProtocol
import LinuxSystem
package import PropertyListCoding

extension HostApplication {
    /// The largest Info.plist, in bytes.
    private static let largest = 1 << 20

    /// Returns `NSExtensionAttributes` of an extension's Info.plist; empty if it has none.
    ///
    /// - Throws: `ExtensionHostError`: `noSuchExtension`, `connectionLost`.
    package func attributes(of identifier: String) async throws -> PropertyListDictionary {
        try await declaration(of: identifier).attributes
    }

    /// Returns the folder of an extension's bundle, and `NSExtensionAttributes` of its Info.plist.
    ///
    /// - Throws: `ExtensionHostError`: `noSuchExtension`, `connectionLost`.
    package func declaration(of identifier: String) async throws -> (path: String, attributes: PropertyListDictionary) {
        let found = try await wholeDeclaration(of: identifier)
        return (found.path, found.declaration["NSExtensionAttributes"]?.dictionary ?? [:])
    }

    /// The declaration of an extension, as its Info.plist has it.
    package struct WholeDeclaration: Sendable {
        /// The bundle's folder.
        package let path: String
        package let point: String
        /// `NSExtension`.
        package let declaration: PropertyListDictionary
        /// The app groups that it holds, at most 16.
        package let groups: [String]
    }

    /// Returns `NSExtension` of an extension's Info.plist, with the groups that the extension holds.
    ///
    /// - Throws: `ExtensionHostError`: `noSuchExtension`, `connectionLost`.
    package func wholeDeclaration(of identifier: String) async throws -> WholeDeclaration {
        let detail = try await DaemonControl(channel: channel).show(identifier)
        // A list of more than 24 KiB does not travel.
        let bytes =
            detail.information.map { [UInt8]($0) }
            ?? (try? readFile(detail.record.path + "/Info.plist", maximumSize: Self.largest)) ?? []
        let information = try? PropertyList(file: bytes, limits: .file, form: .authored).dictionary
        return WholeDeclaration(
            path: detail.record.path, point: detail.record.point,
            declaration: information?["NSExtension"]?.dictionary ?? [:], groups: detail.groups)
    }
}
