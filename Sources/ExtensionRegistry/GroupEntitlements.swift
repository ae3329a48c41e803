// GroupEntitlements: an extension's app groups, held and refused, and its network entitlements.

public import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding

/// The groups and network rights of an extension.
///
/// An extension holds a group if its own entitlements and those of the app around it name the group. The source is the
/// guide, “Sharing Data with Your Containing App”: enabled for the containing app and its extensions. Without an app
/// its own entitlements are enough.
public struct GroupEntitlements: Sendable, Hashable {
    /// The groups that it holds, sorted by name.
    public let held: [GroupIdentifier]
    /// The groups that were requested and are not held, each with its reason.
    public let refused: [Entitlements.Fault]
    /// The held groups that other vendors' apps hold too, with the operator's consent; the reason of each says so.
    public let shared: [Entitlements.Fault]
    /// Whether it may open connections. Only its own entitlements count: an app's are for the app's process.
    public let isClient: Bool
    public let isServer: Bool

    /// Reads at most two small files.
    public init(of bundle: ExtensionBundle) {
        self.init(
            own: bundle.isProgram ? Entitlements() : Self.read(bundle.path), app: bundle.containingApp.map(Self.read))
    }

    package init(own: Entitlements, app: Entitlements?) {
        let common = app.map { own.groups.intersection($0.groups) } ?? own.groups
        held = common.sorted()
        (isClient, isServer) = (own.isClient, own.isServer)
        let alone = own.groups.subtracting(common).sorted().map {
            Entitlements.Fault(
                group: $0.text,
                reason:
                    "the app around the extension does not have it; also name it in the app's \(Entitlements.fileName)")
        }
        let missing = (app?.groups ?? []).subtracting(common).sorted().map {
            Entitlements.Fault(
                group: $0.text,
                reason:
                    "only its app has it, and not the extension; name it in the extension's \(Entitlements.fileName)")
        }
        refused = own.faults + alone + missing + (app?.faults ?? []).filter { !own.faults.contains($0) }
        shared = []
    }

    private init(
        _ held: [GroupIdentifier], _ refused: [Entitlements.Fault], _ shared: [Entitlements.Fault],
        of other: GroupEntitlements
    ) {
        (self.held, self.refused, self.shared) = (held, refused, shared)
        (isClient, isServer) = (other.isClient, other.isServer)
    }

    /// Returns the same without some groups, each with the reason why it is not held.
    ///
    /// `others` are held, each with a reason to report.
    package func refusing(
        _ groups: [GroupIdentifier: String], sharing others: [GroupIdentifier: String]
    ) -> GroupEntitlements {
        func faults(_ groups: [GroupIdentifier: String]) -> [Entitlements.Fault] {
            groups.sorted { $0.key < $1.key }.map { Entitlements.Fault(group: $0.key.text, reason: $0.value) }
        }
        return GroupEntitlements(held.filter { groups[$0] == nil }, faults(groups) + refused, faults(others), of: self)
    }

    package static func file(of bundle: String) -> String {
        "\(BundleLayout(of: bundle).hasContents ? bundle + "/Contents" : bundle)/\(Entitlements.fileName)"
    }

    /// Reads the entitlements at the top of a bundle, or in its `Contents`. Without a file there are none.
    package static func read(_ bundle: String) -> Entitlements {
        let path = file(of: bundle)
        return Entitlements.read(path) { () throws(SystemError) in
            try readFile(path, maximumSize: Entitlements.limits.bytes, followingLinks: false)
        }
    }
}

extension Entitlements {
    /// - Parameters:
    ///   - path: the path for messages.
    ///   - bytes: reads the file; `ENOENT` means that there are no entitlements.
    static func read(_ path: String, _ bytes: () throws(SystemError) -> [UInt8]) -> Entitlements {
        do {
            return Entitlements(try PropertyList(file: try bytes(), limits: limits, form: .authored))
        } catch {
            if let error = error as? SystemError, error.code == ENOENT { return Entitlements() }
            var none = Entitlements()
            none.faults = [Fault(group: "", reason: "\(path) cannot be read: \(error)")]
            return none
        }
    }
}
