// SealedBytes: data in sealed memory: one descriptor to pass on, and views of it without a copy.

internal import Foundation
internal import LinuxDescriptors
internal import Locks

/// Bytes that cannot change. What is over `WireLimits.inlineData` is kept and sent in this form.
final class SealedBytes: Sendable {
    let descriptor: SharedDescriptor
    let count: Int
    private let isCounted: Bool

    /// So many are kept by providers at most: each holds a descriptor, and a process has few of them.
    private static let mostKept = 256
    private static let kept = Atomic(0)

    /// A sealed copy of some data; nil when there can be none (no descriptors left, say).
    init?(copying data: Data) {
        guard let descriptor = Self.seal(data) else { return nil }
        self.descriptor = descriptor
        count = data.count
        isCounted = false
    }

    /// For a provider to keep from the start; nil for data that is small, or when enough of it is kept.
    init?(keeping data: Data) {
        guard data.count > WireLimits.inlineData, data.count <= WireLimits.sharedData else { return nil }
        guard Self.kept.add(1, ordering: .relaxed).newValue <= Self.mostKept, let descriptor = Self.seal(data) else {
            Self.kept.subtract(1, ordering: .relaxed)
            return nil
        }
        self.descriptor = descriptor
        count = data.count
        isCounted = true
    }

    /// The bytes of an open file, read once, here and now. `step` gets how many there are and says whether to go on.
    init(reading file: OpenedFile, step: (Int) -> Bool) throws {
        guard file.status.size <= WireLimits.sharedData else {
            throw NSItemProvider.error(
                .itemUnavailableError, "\(file.label) has \(file.status.size) bytes, more than travel as data; load it as a file."
            )
        }
        try file.checkWritten()
        let draft = try MemoryDraft(size: file.status.size)
        let read = try draft.withUnsafeMutableBytes { try readFile(file.descriptor.raw, into: $0, step: step) }
        descriptor = SharedDescriptor(try draft.seal(count: read))
        count = read
        isCounted = false
    }

    /// A stranger's descriptor: refused when it is not sealed memory, or has too much of it.
    init(received descriptor: SharedDescriptor) throws(ItemCodingError) {
        do {
            count = try SealedMemory.check(descriptor.raw, maximumSize: WireLimits.sharedData)
        } catch {
            throw .unreadableDescriptor(error.description)
        }
        self.descriptor = descriptor
        isCounted = false
    }

    deinit { if isCounted { Self.kept.subtract(1, ordering: .relaxed) } }

    private static func seal(_ data: Data) -> SharedDescriptor? {
        data.withUnsafeBytes { bytes in
            do { return SharedDescriptor(try SealedMemory.make(bytes)) } catch { return nil }
        }
    }

    /// A view of the bytes, which lives as long as the data. Its pages are private: data may be changed in place by its only
    /// holder, and nobody else sees that.
    func data() throws(ItemCodingError) -> Data {
        let mapping: PrivateMapping
        do {
            mapping = try PrivateMapping(sealed: descriptor.raw, maximumSize: WireLimits.sharedData)
        } catch {
            throw .unreadableDescriptor(error.description)
        }
        guard let start = mapping.start else { return Data() }
        return Data(bytesNoCopy: start, count: mapping.count, deallocator: .custom { _, _ in mapping.unmap() })
    }
}
