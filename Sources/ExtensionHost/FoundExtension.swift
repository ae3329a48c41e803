// FoundExtension: an extension in a host's discovery.

import ExtensionProtocol

/// An extension that the registry holds and that can be used.
public struct FoundExtension: Sendable, Hashable {
    /// The bundle's identifier, for `begin`.
    public let identifier: String
    /// The name for people; the bundle's name if it gives none.
    public let displayName: String
    /// The bundle's `CFBundleVersion`.
    public let version: String
    /// The extension point, for example `com.apple.share-services`.
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
