// ConfinementLayers: the mechanisms of the kernel that confine a program.

/// A set of layers. Every layer also prevents the program from gaining rights (`PR_SET_NO_NEW_PRIVS`, no capabilities).
///
/// No layer is enough by itself. Landlock does not cover metadata and sockets by path, a mount view does not cover the
/// kernel's own surface, and a filter of system calls sees no paths.
public struct ConfinementLayers: Sendable, Hashable {
    /// Whether there is a view of the file system with only the allowed files, and no process, network or System V
    /// object of others.
    ///
    /// It takes mount, pid, network and ipc namespaces, with a user namespace for an ordinary user.
    public var namespaces: Bool
    /// The version of Landlock that is used, 0 for none.
    public var landlock: Int
    /// Whether there is a filter of system calls.
    public var seccomp: Bool

    public init(namespaces: Bool = false, landlock: Int = 0, seccomp: Bool = false) {
        self.namespaces = namespaces
        self.landlock = max(landlock, 0)
        self.seccomp = seccomp
    }

    public static let none = ConfinementLayers()

    public var isEmpty: Bool { self == .none }

    /// Whether this has every layer of `other`, Landlock in at least its version.
    public func includes(_ other: ConfinementLayers) -> Bool {
        (namespaces || !other.namespaces) && landlock >= other.landlock && (seccomp || !other.seccomp)
    }

    /// The names of the layers, for messages about one of them.
    public var names: [String] {
        (namespaces ? ["namespaces"] : []) + (landlock > 0 ? ["landlock:\(landlock)"] : [])
            + (seccomp ? ["seccomp"] : [])
    }
}

extension ConfinementLayers: CustomStringConvertible {
    /// The form `namespaces,landlock:7,seccomp`, or `none`.
    public var description: String { isEmpty ? "none" : names.joined(separator: ",") }

    /// Reads the description; `nil` for anything else.
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

/// The policy for a launch without all layers.
public enum ConfinementDemand: String, Sendable, Hashable, CaseIterable {
    /// The launch needs all layers.
    case required
    /// The launch uses the available layers, and reports which.
    case best
    /// The launch has no confinement.
    case none
}
