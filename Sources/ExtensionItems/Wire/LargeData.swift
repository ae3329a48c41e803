// LargeData: data too large for a property list, as a sealed memfd. The only place that knows how.

internal import Foundation
internal import LinuxSystem

enum LargeData {
    /// A descriptor with these bytes; nil when there can be none, and the data then travels in the property list.
    static func seal(_ data: Data) -> SharedDescriptor? { nil }

    static func read(_ descriptor: SharedDescriptor) throws(ItemCodingError) -> Data {
        throw .unreadableDescriptor("data in descriptors is not read here")
    }
}
