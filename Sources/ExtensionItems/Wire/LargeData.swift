// LargeData: data too large for a property list, as a sealed memfd. The only place that knows how.

internal import Foundation
internal import LinuxSystem

enum LargeData {
    /// A descriptor with these bytes; nil when there can be none (no descriptors left, say), and the data then travels in the
    /// property list.
    static func seal(_ data: Data) -> SharedDescriptor? {
        data.withUnsafeBytes { bytes in
            do { return SharedDescriptor(try SealedMemory.make(bytes)) } catch { return nil }
        }
    }

    /// A copy of the bytes behind a stranger's descriptor. A view of the mapping would be one copy less, but data may be changed
    /// in place by its only holder, and these pages are read-only.
    static func read(_ descriptor: SharedDescriptor) throws(ItemCodingError) -> NSData {
        do {
            let memory = try SealedMemory.map(descriptor.raw, maximumSize: WireLimits.sharedData)
            return memory.withUnsafeBytes { NSData(bytes: $0.baseAddress, length: $0.count) }
        } catch {
            throw .unreadableDescriptor(error.description)
        }
    }
}
