// DocumentStorage: the folder that a provider shares with the host and the apps of its group.

import AppGroups
import ExtensionFoundation
import Foundation
import PointMessages

/// The document storage of this process.
enum DocumentStorage {
    /// The folder's name in the container of the app group.
    static let name = PointMessages.DocumentStorage.folderName

    /// The folder, which is made at the first use.
    ///
    /// Without `NSExtensionFileProviderDocumentGroup` it is in the extension's own container, where no other process
    /// sees it.
    static let url: URL = {
        let folder = FileManager.default
        let parent =
            OwnInformation.declaration("NSExtensionFileProviderDocumentGroup").flatMap {
                folder.containerURL(forSecurityApplicationGroupIdentifier: $0)
            } ?? URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true)
        let url = parent.appendingPathComponent(name, isDirectory: true)
        try? folder.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }()

    /// Returns the path of a URL below the folder, without a slash at either end; nil if it is not below.
    static func path(of url: URL) -> String? {
        let (folder, path) = (Self.url.standardizedFileURL.path, url.standardizedFileURL.path)
        if path == folder { return "" }
        guard path.hasPrefix(folder + "/") else { return nil }
        return String(path.dropFirst(folder.count + 1))
    }

    /// Returns the URL of a path below the folder.
    static func url(of path: String) -> URL { path.isEmpty ? url : url.appendingPathComponent(path) }
}
