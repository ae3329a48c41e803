// ExtensionContainer: where one extension or app may leave things: its own container, and those of its groups.

import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

/// Made at each launch; what was there stays.
struct ExtensionContainer: Sendable {
    /// What a launch shows of it: opened as it was made. Not kept: descriptors are dear.
    struct Files: Sendable {
        let home: ContainerFolder.Made
        let groups: [ViewFile]
    }

    /// Its home; `tmp` in it is for temporary files.
    let home: String
    /// The folder that has one of each group.
    let groupFolder: String
    /// Those that it holds, whose containers are there.
    let groups: [GroupIdentifier]
    /// What it or its app asked for in vain.
    let refused: [Entitlements.Fault]

    /// Makes what is missing. Looks at a few folders: on the loop, as the launch itself.
    static func make(
        of bundle: ExtensionBundle, _ entitlements: GroupEntitlements, in folder: ContainerFolder
    ) throws(ExtensionHostError) -> (container: ExtensionContainer, files: Files) {
        do throws(ContainerError) {
            let home = try bundle.isApp ? folder.makeApplication(bundle.identifier) : folder.makePlugIn(bundle.identifier)
            let groups = try entitlements.held.map { (group) throws(ContainerError) in try folder.makeGroup(group).folder }
            let container = ExtensionContainer(
                home: home.path, groupFolder: "\(folder.path)/\(ContainerNames.groups)", groups: entitlements.held,
                refused: entitlements.refused)
            return (container, Files(home: home, groups: groups))
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
