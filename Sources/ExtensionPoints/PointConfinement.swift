// PointConfinement: the deviations of an extension point from the usual confinement, and the entitlement that it needs.

public import PropertyListCoding

/// The network and the containers that the extensions of a point may use.
public struct PointConfinement: Sendable, Hashable {
    public enum Network: String, Sendable, Hashable, CaseIterable {
        /// The network that the entitlements allow.
        case entitled
        case none
    }

    public enum GroupContainers: String, Sendable, Hashable, CaseIterable {
        case readWrite
        case readOnly
    }

    /// The condition under which the usual confinement applies after all. If both are there, both must hold.
    public struct Exception: Sendable, Hashable {
        /// A consent of the user.
        public var consent: String?
        /// An attribute of the extension (`NSExtensionAttributes`) that is true.
        public var attribute: String?

        func holds(_ consents: Set<String>, _ attributes: PropertyListDictionary) -> Bool {
            consent.map(consents.contains) != false && attribute.map { attributes[$0]?.boolean == true } != false
        }
    }

    public var network = Network.entitled
    public var groupContainers = GroupContainers.readWrite
    public var unless: Exception?

    /// The usual confinement.
    public init() {}

    /// Returns the confinement of one launch.
    ///
    /// - Parameters:
    ///   - consents: the user's consents to the extension.
    ///   - attributes: the extension's attributes.
    public func applied(_ consents: Set<String>, _ attributes: PropertyListDictionary) -> PointConfinement {
        unless?.holds(consents, attributes) == true ? PointConfinement() : self
    }
}

/// An entitlement without which an extension of a point gets no request.
public struct RequiredEntitlement: Sendable, Hashable, CustomStringConvertible {
    public var key: String
    /// The text that the entitlement is or, if it is an array, contains; nil for any value but false.
    public var value: String?

    /// Whether the entitlements of a bundle have it.
    public func isHeld(in entitlements: PropertyListDictionary) -> Bool {
        guard let found = entitlements[key] else { return false }
        guard let value else { return found.boolean != false }
        return found.string == value || found.array?.contains { $0.string == value } == true
    }

    public var description: String { value.map { "\(key)=\($0)" } ?? key }
}
