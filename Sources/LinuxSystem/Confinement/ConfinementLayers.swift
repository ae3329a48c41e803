// ConfinementLayers: which mechanisms of the kernel keep a program from what it may not touch.

/// A set of layers. None is enough by itself: Landlock leaves metadata and sockets by path, a mount view the kernel's own surface, and a
/// filter of system calls sees no paths. That a program cannot gain rights (`PR_SET_NO_NEW_PRIVS`, no capabilities) comes with any of them.
public struct ConfinementLayers: Sendable, Hashable {
    /// A view of the file system with nothing in it but what is allowed, and no process, network or System V object of others: mount,
    /// pid, network and ipc namespaces, with a user namespace for an ordinary user.
    public var namespaces: Bool
    /// The version of Landlock that is used, 0 for none.
    public var landlock: Int
    /// A filter of system calls.
    public var seccomp: Bool

    public init(namespaces: Bool = false, landlock: Int = 0, seccomp: Bool = false) {
        self.namespaces = namespaces
        self.landlock = max(landlock, 0)
        self.seccomp = seccomp
    }

    public static let none = ConfinementLayers()

    public var isEmpty: Bool { self == .none }

    /// Whether every layer of `other` is here, Landlock in at least its version.
    public func includes(_ other: ConfinementLayers) -> Bool {
        (namespaces || !other.namespaces) && landlock >= other.landlock && (seccomp || !other.seccomp)
    }

    /// The layers of one by name, for messages about one of them.
    public var names: [String] {
        (namespaces ? ["namespaces"] : []) + (landlock > 0 ? ["landlock:\(landlock)"] : []) + (seccomp ? ["seccomp"] : [])
    }
}

extension ConfinementLayers: CustomStringConvertible {
    /// `namespaces,landlock:7,seccomp`, or `none`.
    public var description: String { isEmpty ? "none" : names.joined(separator: ",") }

    /// From the description; `nil` for anything else.
    public init?(_ description: String) {
        self.init()
        if description == "none" { return }
        for name in description.split(separator: ",", omittingEmptySubsequences: false) {
            switch name {
            case "namespaces": namespaces = true
            case "seccomp": seccomp = true
            case _ where name.hasPrefix("landlock:"):
                guard let version = Int(name.dropFirst(9)), version > 0 else { return nil }
                landlock = version
            default: return nil
            }
        }
    }
}

/// What is done where not all layers are to be had.
public enum ConfinementDemand: String, Sendable, Hashable, CaseIterable {
    /// All layers, or no launch.
    case required
    /// Those that there are; which ones is told.
    case best
    /// No confinement.
    case none
}
