// SealedBytes: data in sealed memory: one descriptor to pass on, and views of it without a copy.

internal import Foundation
internal import LinuxDescriptors
internal import Locks

/// Bytes that cannot change. Data over `WireLimits.inlineData` is stored and sent in this form.
final class SealedBytes: Sendable {
    let descriptor: SharedDescriptor
    let count: Int
    private let isCounted: Bool

    /// The limit of sealed memories that providers keep: each holds a descriptor, and a process has few of them.
    private static let mostKept = 256
    private static let kept = Atomic(0)

    /// Makes a sealed copy of some data; nil if that fails, for example without a free descriptor.
    init?(copying data: Data) {
        guard let descriptor = Self.seal(data) else { return nil }
        self.descriptor = descriptor
        count = data.count
        isCounted = false
    }

    /// Makes a sealed copy for a provider to keep from the start; nil for small data, or beyond the limit.
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

    /// Reads the bytes of an open file once, now. `step` gets the count so far and returns whether to continue.
    init(reading file: OpenedFile, step: (Int) -> Bool) throws {
        guard file.status.size <= WireLimits.sharedData else {
            throw NSItemProvider.error(
                .itemUnavailableError,
                "\(file.label) has \(file.status.size) bytes, which is too large for data; load it as a file."
            )
        }
        try file.checkWritten()
        let draft = try MemoryDraft(size: file.status.size)
        let read = try draft.withUnsafeMutableBytes { try readFile(file.descriptor.raw, into: $0, step: step) }
        descriptor = SharedDescriptor(try draft.seal(count: read))
        count = read
        isCounted = false
    }

    /// Takes a stranger's descriptor; throws if it is not sealed memory, or has too much of it.
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

    /// Returns a view of the bytes, which lives as long as the data.
    ///
    /// The pages are private: the only holder of the data may change it in place, and no other process sees that.
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
