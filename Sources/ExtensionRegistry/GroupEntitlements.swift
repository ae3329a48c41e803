// GroupEntitlements: the app groups that an extension holds, those that it or its app asked for in vain, and the network.

public import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding

/// A group is an extension's when its own entitlements name it, and those of the app around it do, too (the guide, “Sharing Data with Your
/// Containing App”: enabled for the containing app and its extensions). Of a bundle without an app its own word is enough.
public struct GroupEntitlements: Sendable, Hashable {
    /// In the order of their names.
    public let held: [GroupIdentifier]
    /// What was asked for and is not held, each with its reason.
    public let refused: [Entitlements.Fault]
    /// Those among the held ones that other vendors' apps hold too, by the operator's consent, each with that as its reason.
    public let shared: [Entitlements.Fault]
    /// What it may do over the network, by its own word: an app's entitlements are for the app's process only.
    public let isClient: Bool
    public let isServer: Bool

    /// Reads at most two small files.
    public init(of bundle: ExtensionBundle) {
        self.init(own: bundle.isProgram ? Entitlements() : Self.read(bundle.path), app: bundle.containingApp.map(Self.read))
    }

    package init(own: Entitlements, app: Entitlements?) {
        let common = app.map { own.groups.intersection($0.groups) } ?? own.groups
        held = common.sorted()
        (isClient, isServer) = (own.isClient, own.isServer)
        let alone = own.groups.subtracting(common).sorted().map {
            Entitlements.Fault(
                group: $0.text,
                reason: "the app around the extension does not hold it; name it in the app's \(Entitlements.fileName) too")
        }
        let missing = (app?.groups ?? []).subtracting(common).sorted().map {
            Entitlements.Fault(
                group: $0.text,
                reason: "the extension does not hold it, only its app; name it in the extension's \(Entitlements.fileName)")
        }
        refused = own.faults + alone + missing + (app?.faults ?? []).filter { !own.faults.contains($0) }
        shared = []
    }

    private init(
        _ held: [GroupIdentifier], _ refused: [Entitlements.Fault], _ shared: [Entitlements.Fault], of other: GroupEntitlements
    ) {
        (self.held, self.refused, self.shared) = (held, refused, shared)
        (isClient, isServer) = (other.isClient, other.isServer)
    }

    /// The same without some groups, each with the reason why it is not held; others are held, with a reason to be told.
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

    /// The entitlements at the top of a bundle, or in its `Contents`. Without a file there are none.
    package static func read(_ bundle: String) -> Entitlements {
        let path = file(of: bundle)
        return Entitlements.read(path) { () throws(SystemError) in
            try readFile(path, maximumSize: Entitlements.limits.bytes, followingLinks: false)
        }
    }
}

extension Entitlements {
    /// - Parameters:
    ///   - path: for messages.
    ///   - bytes: reads the file; `ENOENT` means that there are no entitlements.
    static func read(_ path: String, _ bytes: () throws(SystemError) -> [UInt8]) -> Entitlements {
        do {
            return Entitlements(try PropertyList(file: try bytes(), limits: limits))
        } catch {
            if let error = error as? SystemError, error.code == ENOENT { return Entitlements() }
            var none = Entitlements()
            none.faults = [Fault(group: "", reason: "\(path) cannot be read: \(error)")]
            return none
        }
    }
}
