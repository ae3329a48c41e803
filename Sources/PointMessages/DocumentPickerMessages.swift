// DocumentPickerMessages: the calls of a document picker.

public import ExtensionPointKit

/// The modes of a document picker. Both sides refuse an unrecognized mode.
public enum PickerMode: String, OpenEnumeration, Hashable, CaseIterable {
    case `import`, open, exportToService, moveToService, unrecognized
}

/// The folder of a document provider's files.
public enum DocumentStorage {
    /// The folder's name in the container of the app group.
    public static let folderName = "File Provider Storage"
}

/// Gives the picker its mode, and shows the view afterwards.
public struct PreparePicker: PointMessage {
    public static let name = "files.prepareForPresentation"

    /// The document to export or to move.
    public struct Original: Codable, Sendable {
        public var name: String
        public var file: PointFile
        /// Makes a document; each value is described at its property.
        public init(name: String, file: PointFile) { (self.name, self.file) = (name, file) }
    }

    public var mode: PickerMode
    /// The uniform type identifiers that the host takes; absent for export and move.
    public var types: [String]?
    public var original: Original?
    /// The identifier of the file provider of the same group; absent if there is none.
    public var provider: String?
    /// The app group whose container has the provider's storage; absent without a provider.
    public var group: String?

    /// Makes the call; each value is described at its property.
    public init(mode: PickerMode, types: [String]?, original: Original?, provider: String?, group: String?) {
        (self.mode, self.types, self.original) = (mode, types, original)
        (self.provider, self.group) = (provider, group)
    }
}

/// Gives the host the document that the person has chosen. The host checks each value.
public struct GrantAccess: PointMessage {
    public static let name = "files.dismissGrantingAccess"

    /// The document's URL, which the host shows and never opens.
    public var url: String
    /// The path below the provider's storage; absent for a document that is elsewhere.
    public var storagePath: String?
    /// The open document; absent unless the mode is import.
    public var file: PointFile?

    /// Makes the call; each value is described at its property.
    public init(url: String, storagePath: String?, file: PointFile?) {
        (self.url, self.storagePath, self.file) = (url, storagePath, file)
    }
}

/// Cancels the request, because the host does not take the document.
public struct RefuseAccess: PointMessage {
    public static let name = "files.refuseAccess"
    public var reason: String
    public init(_ reason: String) { self.reason = reason }
}

/// Ends the session, because the host has the document. The request completes without items.
public struct EndPicker: PointMessage {
    public static let name = "files.endPicker"
    public init() {}
}
