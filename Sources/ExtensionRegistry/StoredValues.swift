// StoredValues: the consents and annotations of one extension for one user, which the registry stores.

/// The values that the daemon stores for an extension, beside its bundle.
public struct StoredValues: Sendable, Hashable {
    /// The owner of values: an extension, by its identifier, and the user whose it is.
    public struct Owner: Sendable, Hashable {
        public var identifier: String
        public var user: UInt32
        /// The number of its registration for a connection; nil for an installed extension. The values of such a
        /// registration are never on disk.
        public var registration: Int?

        public init(_ identifier: String, of user: UInt32, registration: Int? = nil) {
            (self.identifier, self.user, self.registration) = (identifier, user, registration)
        }
    }

    /// The maximum number of annotations of an extension, and the maximum size of one in bytes.
    public static let annotationsLimit = 16
    public static let annotationSize = 16 * 1024

    /// The consents that the user has given.
    public var consents: Set<String> = []
    /// The annotations by name, each a property list in binary form.
    public var annotations: [String: [UInt8]] = [:]

    public var isEmpty: Bool { consents.isEmpty && annotations.isEmpty }

    public init() {}
}
