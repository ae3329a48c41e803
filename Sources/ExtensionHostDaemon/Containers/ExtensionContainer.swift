// ExtensionContainer: where one extension or app may leave things: its own container, and those of its groups.

import ExtensionProtocol
import ExtensionRegistry

/// Made at each launch; what was there stays.
struct ExtensionContainer: Sendable {
    /// Its home; `tmp` in it is for temporary files.
    let home: String
    /// The folder that has one of each group.
    let groupFolder: String
    /// Those that it holds, whose containers are there.
    let groups: [GroupIdentifier]
    /// What it or its app asked for in vain.
    let refused: [Entitlements.Fault]

    /// Makes what is missing. Looks at a few folders: on the loop, as the launch itself.
    init(of bundle: ExtensionBundle, _ entitlements: GroupEntitlements, in folder: ContainerFolder) throws(ExtensionHostError) {
        (groups, refused) = (entitlements.held, entitlements.refused)
        groupFolder = "\(folder.path)/\(ContainerNames.groups)"
        do throws(ContainerError) {
            home = try bundle.isApp ? folder.makeApplication(bundle.identifier) : folder.makePlugIn(bundle.identifier)
            for group in groups { _ = try folder.makeGroup(group) }
        } catch {
            throw ExtensionHostError(
                .launchFailed, "\(bundle.identifier) has no container: \(error)",
                remedy: "Let the daemon's user have and write \(folder.path)")
        }
    }

    /// Of all containers that it uses.
    var paths: [String] { [home] + groups.map { "\(groupFolder)/\($0)" } }

    /// In place of what the daemon has of the same names.
    var variables: [String: String] {
        ContainerNames.variables(home: home, groupFolder: groupFolder, groups: groups)
    }
}
