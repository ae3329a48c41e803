// EncodedValue: items, a value or an error, ready for a packet.

public import LinuxSystem
public import PropertyListCoding

/// A property list and the descriptors that it names by index.
public struct EncodedValue: Sendable {
    /// The form of `docs/protocol.md`, section 8.
    public var plist: PropertyList
    /// At most 15; each is closed when its last holder goes.
    public var descriptors: [SharedDescriptor]

    /// Takes shared ownership of `descriptors`.
    public init(plist: PropertyList, descriptors: [SharedDescriptor] = []) {
        self.plist = plist
        self.descriptors = descriptors
    }
}
