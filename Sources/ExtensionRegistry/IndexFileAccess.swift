// IndexFileAccess: the index file on the disk: read at once, replaced in one step.

import Glibc
import LinuxSystem

extension IndexFile {
    /// Bytes that are read: the bundles' own limit, and room for as many entries as there may be.
    private static let sizeLimit = BundleLook.memoryLimit + (BundleScan.bundlesLimit << 11)

    /// The index of a state folder; nil where there is none of this version that is whole.
    package init?(folder: String) {
        guard let memory = try? ReadMemory("\(folder)/\(Self.name)", maximumSize: Self.sizeLimit) else { return nil }
        self.init(IndexBytes(memory))
    }

    /// Puts it in place of the one before in one step. Not synced: one that a loss of power leaves half-written has another checksum.
    func write(to folder: String) throws(SystemError) {
        let path = "\(folder)/\(Self.name)"
        let draft = path + ".new"
        // What a killed daemon left goes, whatever it is.
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
