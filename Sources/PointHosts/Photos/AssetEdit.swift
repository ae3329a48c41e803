// AssetEdit: an asset that is locked for an edit, and the storage of the edit.

package import ExtensionHost
import Foundation
import Glibc
import LinuxDescriptors
import Locks
package import PointMessages

/// An asset that is locked for an edit until `release()`, or until the last reference goes.
///
/// Safe to use from any thread.
package final class AssetEdit: Sendable {
    let library: AssetLibrary
    /// The asset at the beginning of the edit.
    let asset: AssetLibrary.Asset
    private let folder: String
    private let lock: Mutex<SharedDescriptor?>

    init(library: AssetLibrary, asset: AssetLibrary.Asset, folder: String, lock: SharedDescriptor) {
        (self.library, self.asset, self.folder) = (library, asset, folder)
        self.lock = Mutex(lock)
    }

    deinit { release() }

    /// Lets the next edit have the asset.
    func release() {
        lock.withLock { lock in
            // A process that another thread has just forked has the descriptor, too, until it executes its program.
            if let lock { flock(lock.raw, LOCK_UN) }
            lock = nil
        }
    }

    /// Copies an extension's file to a new one in the asset's folder. What is checked and stored is that copy, because
    /// the extension may still write to its own.
    ///
    /// - Returns: the path of the copy, which nobody may write.
    /// - Throws: `PhotoEditFault` for a file of a wrong kind, size or format; `SystemError`. No copy is left then.
    package func copy(_ file: Int32) throws -> String {
        // Found without a call that a stranger's file could block.
        let size: Int
        switch PassedFile(file) {
        case .file(let known), .memory(let known): size = known
        case .other: throw PhotoEditFault.noRendering
        }
        let largest = AssetLibrary.largestFile(asset.media)
        guard size <= largest else { throw PhotoEditFault.renderingTooLarge(size) }
        let wanted = MediaFormat.ofRenderings(asset.media)
        let path = "\(folder)/\(UUID().uuidString).\(wanted.fileExtension)"
        do {
            try AssetFiles.copy(file, to: path, upTo: largest)
            let copy = SharedDescriptor(try openForReading(path))
            let found = try AssetFiles.format(of: copy.raw)
            guard found == wanted else { throw PhotoEditFault.wrongFormat(found, wanted: wanted) }
        } catch {
            discard(path)
            throw error
        }
        library.onStep(.copied)
        return path
    }

    /// Deletes a copy that is not stored.
    func discard(_ path: String) { unlink(path) }

    /// Makes a copy of one of the asset's files that has no name, for an extension.
    ///
    /// The descriptor of the copy is for reading only. The extension is not given the library's own file, because it could
    /// make it writable: both belong to one user.
    ///
    /// - Throws: `SystemError`.
    func lend(_ path: String) throws(SystemError) -> SharedDescriptor {
        let source = SharedDescriptor(try openForReading(path))
        return try unnamed { (target) throws(SystemError) in
            _ = try copyFile(from: source.raw, to: target, size: try FileStatus(of: source.raw).size)
        }
    }

    /// Makes a file of these bytes that has no name, for an extension.
    ///
    /// - Throws: `SystemError`.
    func lend(_ bytes: [UInt8]) throws(SystemError) -> SharedDescriptor {
        try unnamed { (target) throws(SystemError) in
            let result: Result<Void, SystemError> = bytes.withUnsafeBytes { bytes in
                do throws(SystemError) {
                    return .success(try LinuxDescriptors.write(bytes, to: target))
                } catch {
                    return .failure(error)
                }
            }
            try result.get()
        }
    }

    private func unnamed(_ fill: (Int32) throws(SystemError) -> Void) throws(SystemError) -> SharedDescriptor {
        let path = "\(folder)/\(UUID().uuidString)"
        let file = SharedDescriptor(try createFile(path))
        defer { unlink(path) }
        try fill(file.raw)
        return SharedDescriptor(try openForReading(path))
    }

    /// Stores an edit, or drops the asset's last one.
    ///
    /// - Parameters:
    ///   - rendering: the path of a checked copy; nil to drop the edit.
    ///   - adjustment: the description; nil to drop the edit.
    /// - Throws: `ExtensionHostError` `stateUnavailable`; the asset is then as it was, or has the whole edit.
    package func store(_ rendering: String?, _ adjustment: PhotoAdjustment?) throws(ExtensionHostError) {
        do {
            try AssetFiles.synchronize(folder: folder)
            library.onStep(.synchronized)
            try replaceList(rendering?.split(separator: "/").last.map(String.init), adjustment)
        } catch {
            throw ExtensionHostError(
                .stateUnavailable, "the edit of \(asset.id) cannot be stored",
                remedy: "Let the host write the library's folder, and free some space", cause: "\(error)")
        }
        if let old = asset.rendering { unlink(old) }
        library.onStep(.oldRemoved)
    }

    private func replaceList(_ rendering: String?, _ adjustment: PhotoAdjustment?) throws {
        let list = "\(folder)/\(AssetLibrary.list)"
        var record = try AssetRecord(reading: list)
        (record.rendering, record.adjustment) = (rendering, adjustment)
        let draft = "\(folder)/\(UUID().uuidString).plist"
        try record.write(to: draft)
        library.onStep(.listWritten)
        guard rename(draft, list) == 0 else { throw SystemError("rename") }
        try AssetFiles.synchronize(folder: folder)
        library.onStep(.listReplaced)
    }
}
