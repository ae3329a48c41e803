// FoundExtension: an extension as discovery shows it to a host.

import ExtensionProtocol

/// An extension that the registry holds and that can be used.
public struct FoundExtension: Sendable, Hashable {
    /// The bundle's identifier: what `begin` takes.
    public let identifier: String
    /// For people; the bundle's name where it gives none.
    public let displayName: String
    /// `CFBundleVersion`.
    public let version: String
    /// The extension point, `com.apple.share-services` for one.
    public let point: String
    /// The bundle's folder.
    public let path: String
    /// The folder of the app that contains it; nil for a bare bundle.
    public let containingApp: String?

    init(_ record: ExtensionRecord) {
        identifier = record.identifier
        displayName = record.displayName
        version = record.version
        point = record.point
        path = record.path
        containingApp = record.containingApp
    }
}
