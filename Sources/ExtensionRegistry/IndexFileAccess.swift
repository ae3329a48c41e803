// IndexFileAccess: the index file on disk, which is read at once and replaced atomically.

import Glibc
import LinuxSystem

extension IndexFile {
    /// The maximum size in bytes: the bundles' own limit, and room for the maximum number of entries.
    private static let sizeLimit = BundleLook.memoryLimit + (BundleScan.bundlesLimit << 11)

    /// Reads the index of a state folder; nil if there is no intact one of this version.
    package init?(folder: String) {
        guard let memory = try? ReadMemory("\(folder)/\(Self.name)", maximumSize: Self.sizeLimit) else { return nil }
        self.init(IndexBytes(memory))
    }

    /// Replaces the previous file atomically. It is not synced: after a loss of power, a half-written file fails its
    /// checksum.
    func write(to folder: String) throws(SystemError) {
        let path = "\(folder)/\(Self.name)"
        let draft = path + ".new"
        // A draft that a killed daemon left is removed, whatever it is.
        guard unlink(draft) == 0 || errno == ENOENT else { throw SystemError("unlink") }
        do throws(SystemError) {
            let file = try createFile(draft)
            try bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in
                try LinuxSystem.write(UnsafeRawBufferPointer(bytes), to: file.raw)
            }
        } catch {
            unlink(draft)
            throw error
        }
        guard rename(draft, path) == 0 else { throw SystemError("rename") }
    }
}
