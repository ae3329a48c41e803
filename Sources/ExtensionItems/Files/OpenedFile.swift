// OpenedFile: a file that is read through a descriptor, whoever owns it and whatever becomes of its name.

internal import Foundation
internal import LinuxDescriptors

/// A regular file that is open for reading. It may change, shrink or be removed meanwhile: it is copied, never mapped.
final class OpenedFile: Sendable {
    let descriptor: SharedDescriptor
    let status: FileStatus
    /// The name of the file when it was opened.
    let name: String?
    /// The path, if the owner lets others edit the file in place.
    let path: String?
    /// Whether the file came from another process.
    private let isReceived: Bool

    /// The name of the file in messages.
    var label: String { path ?? name ?? "the file" }

    /// Opens a file of this process.
    ///
    /// - Throws: an `NSItemProvider` error, `itemUnavailableError`, that names the file.
    init(_ url: URL, inPlace: Bool) throws(NSError) {
        func unavailable(_ reason: String, _ cause: (any Error)? = nil) -> NSError {
            NSItemProvider.error(.itemUnavailableError, "\(url.path): \(reason)", underlying: cause)
        }
        guard url.isFileURL else { throw unavailable("is not a file's URL.") }
        do {
            descriptor = SharedDescriptor(try openForReading(url.path))
            status = try FileStatus(of: descriptor.raw)
        } catch {
            throw unavailable("there is no such file, or no permission to read it.", error)
        }
        if status.isDirectory { throw unavailable("a folder has no bytes; load its URL.") }
        guard status.isRegular else { throw unavailable("is not a regular file.") }
        name = url.lastPathComponent
        path = inPlace ? url.path : nil
        isReceived = false
    }

    /// Takes a stranger's descriptor; throws if it is no regular file, or more than readable.
    init(received descriptor: SharedDescriptor, name: String?, path: String?) throws(ItemCodingError) {
        do {
            status = try FileStatus(of: descriptor.raw)
        } catch {
            throw .unreadableDescriptor(error.description)
        }
        guard status.isRegular else { throw .unreadableDescriptor("it is not a regular file") }
        guard status.isReadOnly else {
            throw .unreadableDescriptor("the file should be read-only, but its descriptor is writable")
        }
        self.descriptor = descriptor
        self.name = name
        self.path = path
        isReceived = true
    }

    /// Makes a file of bytes: a sealed copy in memory.
    ///
    /// - Throws: `itemUnavailableError` if no memory or descriptor is left for it.
    init(copying bytes: Data, name: String?) throws(NSError) {
        guard let sealed = SealedBytes(copying: bytes), let status = try? FileStatus(of: sealed.descriptor.raw) else {
            throw NSItemProvider.error(
                .itemUnavailableError, "There is no memory or no descriptor for \(name ?? "the file").")
        }
        (descriptor, self.status, self.name, path, isReceived) = (sealed.descriptor, status, name, nil, false)
    }

    /// The file's own URL, if the owner lets others edit it in place and the path leads to the same file in this
    /// process.
    var ownURL: URL? { path.flatMap { isHere($0) ? URL(fileURLWithPath: $0) : nil } }

    /// Whether a path leads to this very file in this process, and it may be read there.
    func isHere(_ path: String) -> Bool {
        guard let here = try? openForReading(path), let found = try? FileStatus(of: here.raw) else { return false }
        return found.device == status.device && found.inode == status.inode
    }

    /// Checks that a stranger's file has not too many unwritten bytes.
    ///
    /// Such bytes take no room in the file, and a copy of it in memory takes room for all.
    ///
    /// - Throws: `itemUnavailableError` for a file that has more of them than `WireLimits.unwritten`.
    func checkWritten() throws(NSError) {
        guard isReceived else { return }
        let unwritten = unwrittenBytes(of: descriptor.raw, size: status.size)
        guard unwritten > WireLimits.unwritten else { return }
        throw NSItemProvider.error(
            .itemUnavailableError,
            "\(unwritten) of the \(status.size) bytes of \(label) have never been written, more than the limit of \(WireLimits.unwritten). "
                + "Write the whole file in the extension, or return a shorter one.")
    }

    /// Returns a copy of all bytes; throws `itemUnavailableError` for more than travel as data, and as `checkWritten`
    /// does.
    func contents() throws -> Data {
        try checkWritten()
        guard status.size <= WireLimits.sharedData else {
            throw NSItemProvider.error(
                .itemUnavailableError,
                "\(label) has \(status.size) bytes, which is too large for data; load it as a file.")
        }
        var data = Data(count: status.size)
        let count = try data.withUnsafeMutableBytes { try readFile(descriptor.raw, into: $0) }
        if count < data.count { data.removeLast(data.count - count) }
        return data
    }
}
