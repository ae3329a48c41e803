// PhotoStage: the library of one test of a photo editing extension, and its edit.

import ExtensionHost
import ExtensionHostTesting
import LinuxSystem
import Locks
import PointHosts

/// The Photos app of one test. Each photo is one asset, named by its path.
final class PhotoStage: Sendable {
    private struct State {
        var photos: PhotoEditingHost?
        var folder: TemporaryDirectory?
        var assets: [String: String] = [:]
        /// The asset of the last edit.
        var last: String?
        var session: PhotoEditingSession?
    }

    private let host: HostApplication
    private let identifier: String
    private let state = Mutex(State())

    init(_ host: HostApplication, _ identifier: String) { (self.host, self.identifier) = (host, identifier) }

    deinit { try? state.withLock { $0.folder }?.remove() }

    /// Returns the host half, with a library in a temporary folder.
    private func photos() throws -> PhotoEditingHost {
        try state.withLock { state in
            if let photos = state.photos { return photos }
            let folder = try TemporaryDirectory(prefix: "exthost-photos")
            state.folder = folder
            let photos = PhotoEditingHost(host, library: try AssetLibrary(folder: folder.path))
            state.photos = photos
            return photos
        }
    }

    /// Begins an edit of a photo, which is added to the library the first time.
    func begin(_ path: String) async throws {
        let photos = try photos()
        let id = try state.withLock { state in
            let id = try state.assets[path] ?? photos.library.add(path).id
            state.assets[path] = id
            state.last = id
            return id
        }
        let session = try await photos.begin(identifier, editing: id)
        state.withLock { $0.session = session }
    }

    /// Asks for the result of the edit.
    func finish() async throws -> PhotoEnding { try await PhotoEnding(of: try session()) }

    /// Cancels the edit.
    func discard(confirming: PhotoEditingSession.Confirmation) async throws -> PhotoEnding {
        try await session().cancel(confirming: confirming) ? .cancelled : .goesOn
    }

    /// Drops the edits of the last photo.
    func revert() throws {
        guard let id = state.withLock({ $0.last }) else { throw Self.nothing }
        try photos().library.revert(id)
    }

    private func session() throws -> PhotoEditingSession {
        guard let session = state.withLock({ $0.session }) else { throw Self.nothing }
        return session
    }

    private static let nothing = ExtensionHostError(.invalidArgument, "no photo is being edited")
}
