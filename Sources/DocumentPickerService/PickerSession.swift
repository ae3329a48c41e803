// PickerSession: one session of a document picker: the host's wishes, and the choice on its way to the host.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import LinuxDescriptors
import PointFrameworkKit
import PointMessages
import UIKit

/// The connection of a document picker to its host.
@MainActor final class PickerSession: DocumentPickerConnection {
    // It goes before this object, because it owns it.
    private weak let session: PointSession?
    private(set) var mode = UIDocumentPickerMode.import
    private(set) var originalURL: URL?
    private(set) var validTypes: [String]?
    private(set) var providerIdentifier = ""
    private(set) var documentStorageURL: URL?
    private var isDismissed = false

    private nonisolated init(_ session: PointSession) { self.session = session }

    nonisolated static func of(_ session: PointSession) -> PickerSession {
        session.state(PickerSession.self) { PickerSession(session) }
    }

    private static let modes: [PickerMode: UIDocumentPickerMode] = [
        .import: .import, .open: .open, .exportToService: .exportToService, .moveToService: .moveToService,
    ]

    /// Adopts the host's wishes, and calls the author's method.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` for a mode of a newer host.
    func prepare(_ message: PreparePicker, _ original: URL?) throws {
        guard let mode = Self.modes[message.mode] else {
            throw ExtensionHostError(.invalidArgument, "the host asks for a mode that this picker does not know")
        }
        self.mode = mode
        originalURL = original
        validTypes = message.types
        providerIdentifier = message.provider ?? ""
        documentStorageURL = message.group.flatMap(Self.storage)
        guard let controller = session?.principal as? UIDocumentPickerExtensionViewController else { return }
        // Authors use the parts of their view.
        controller.loadViewIfNeeded()
        controller.prepareForPresentation(in: mode)
    }

    /// Returns the folder of a provider's documents, and makes it if it is missing.
    private static func storage(_ group: String) -> URL? {
        guard let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group) else {
            return nil
        }
        let folder = container.appendingPathComponent(DocumentStorage.folderName, isDirectory: true)
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        return folder
    }

    func dismiss(granting url: URL?) {
        guard let session else { return }
        guard !isDismissed else {
            return session.report("dismissGrantingAccess(to:) was called again; only the first call counts")
        }
        isDismissed = true
        let message = url.flatMap { grant(of: $0, session) }
        // The author's code may be in the action of a button.
        session.laterOnMain { [session] in
            session.removeView()
            guard let message else { return session.context.cancelRequest(withError: CocoaError(.userCancelled)) }
            session.send(message) { answer in
                guard case .failure(let error) = answer else { return }
                // The request has ended already, or the host does not take the call.
                session.context.cancelRequest(withError: error)
            }
        }
    }

    /// Returns the call that gives the host a document; nil, with a report, for a URL that names no file.
    private func grant(of url: URL, _ session: PointSession) -> GrantAccess? {
        guard url.isFileURL else {
            session.report("dismissGrantingAccess(to:) takes the URL of a file, and got one of “\(url.scheme ?? "")”")
            return nil
        }
        let path = url.standardizedFileURL.path
        var storagePath: String?
        if let root = documentStorageURL?.standardizedFileURL.path, path.hasPrefix(root + "/") {
            storagePath = String(path.dropFirst(root.count + 1))
        }
        return GrantAccess(
            url: url.absoluteString, storagePath: storagePath, file: mode == .import ? Self.file(path) : nil)
    }

    /// Opens a regular file; nil for anything else, which no call can have. The host then refuses the document.
    private static func file(_ path: String) -> PointFile? {
        guard let file = try? PointFile(readingAt: path), (try? FileStatus(of: file.descriptor.raw).isRegular) == true
        else { return nil }
        return file
    }
}
