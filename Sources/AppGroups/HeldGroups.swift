// HeldGroups: the app groups of this process, and where their folders are.

package import ExtensionWire
internal import LinuxDescriptors
internal import Locks
internal import PropertyListCoding

/// The groups that a process holds.
///
/// An extension finds them in its environment; any other program finds them in its own bundle.
package struct HeldGroups: Sendable {
    package let groups: Set<GroupIdentifier>
    /// The folder that has a folder for each group; nil without a home folder.
    let folder: String?

    /// The groups of this process, read once.
    package static let current = HeldGroups(
        environment: { name in environmentValue(name) }, program: { try? programPath() })

    init(groups: Set<GroupIdentifier>, folder: String?) {
        self.groups = groups
        self.folder = folder
    }

    /// - Parameter program: returns the path of the program; called if the environment names no groups.
    init(environment: (String) -> String?, program: () -> String?) {
        folder = ContainerNames.groupFolder(environment)
        if let names = environment(ContainerNames.groupsVariable) {
            groups = Set(names.split(separator: ",").compactMap { try? GroupIdentifier(String($0)) })
        } else {
            groups = program().map(Self.groups(ofProgram:)) ?? []
        }
    }

    /// Returns the groups of the bundle that contains the program; for an extension, only those that the app around it
    /// also holds.
    private static func groups(ofProgram path: String) -> Set<GroupIdentifier> {
        var held: Set<GroupIdentifier>?
        var parts = path.split(separator: "/")
        while !parts.isEmpty {
            parts.removeLast()
            guard let name = parts.last, name.hasSuffix(".app") || name.hasSuffix(".appex") else { continue }
            let own = groups(ofBundle: "/" + parts.joined(separator: "/"))
            held = held.map { $0.intersection(own) } ?? own
            if name.hasSuffix(".app") { break }
        }
        return held ?? []
    }

    private static func groups(ofBundle bundle: String) -> Set<GroupIdentifier> {
        for folder in [bundle + "/Contents", bundle] {
            guard
                let bytes = try? readFile("\(folder)/\(Entitlements.fileName)", maximumSize: Entitlements.limits.bytes),
                let plist = try? PropertyList(file: bytes, limits: Entitlements.limits, form: .authored)
            else { continue }
            return Entitlements(plist).groups
        }
        return []
    }

    // MARK: Asking

    /// Whether this process holds a group of this name.
    func holds(_ name: String) -> Bool { (try? GroupIdentifier(name)).map(groups.contains) ?? false }

    /// Returns the folder of a group that this process holds, or the reason why there is none.
    package func container(of name: String) -> Result<(group: GroupIdentifier, path: String), Refusal> {
        let group: GroupIdentifier
        do throws(GroupIdentifierFault) { group = try GroupIdentifier(name) } catch {
            return .failure(Refusal("\(error)"))
        }
        guard groups.contains(group) else {
            return .failure(
                Refusal(
                    "this process does not have it; \(Entitlements.fileName) of the extension's bundle and of its app's must list it "
                        + "under \(Entitlements.groupsKey)"))
        }
        guard let folder else {
            return .failure(
                Refusal("the folder of containers is not known; set HOME, or \(ContainerNames.groupFolderVariable)"))
        }
        return .success((group, "\(folder)/\(group)"))
    }

    package struct Refusal: Error {
        package let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    // MARK: Saying

    private static let said = Mutex(Set<String>())

    /// Logs one line to standard error for each name.
    static func say(_ name: String, _ refusal: Refusal) {
        let isNew = said.withLock { $0.count < 64 && $0.insert(name).inserted }
        guard isNew else { return }
        StandardStreams.writeError(
            "exthost: no app group “\(name.prefix(GroupIdentifier.greatestLength))”: \(refusal.reason)\n")
    }
}
