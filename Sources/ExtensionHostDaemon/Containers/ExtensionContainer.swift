// ExtensionContainer: the folders in which one extension or app stores files: its own container, and those of its
// groups.

import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

/// The containers of a bundle, made at each launch; existing contents stay.
struct ExtensionContainer: Sendable {
    /// The folders that a launch shows, opened as they were made. They do not stay open, because descriptors are
    /// scarce.
    struct Files: Sendable {
        let home: ContainerFolder.Made
        let groups: [ViewFile]
    }

    /// The home folder; `tmp` in it is for temporary files.
    let home: String
    /// The folder that contains the container of each group.
    let groupFolder: String
    /// The groups that the bundle holds, whose containers exist.
    let groups: [GroupIdentifier]
    /// The entitlements that the bundle or its app asked for in vain.
    let refused: [Entitlements.Fault]

    /// Makes the missing folders. The call reads only a few folders, so it runs on the loop, like the launch itself.
    static func make(
        of bundle: ExtensionBundle, _ entitlements: GroupEntitlements, in folder: ContainerFolder
    ) throws(ExtensionHostError) -> (container: ExtensionContainer, files: Files) {
        do throws(ContainerError) {
            let home =
                switch bundle.role {
                case .app: try folder.makeApplication(bundle.identifier)
                case .service: try folder.makeService(bundle.identifier)
                default: try folder.makePlugIn(bundle.identifier)
                }
            let groups = try entitlements.held.map { (group) throws(ContainerError) in
                try folder.makeGroup(group).folder
            }
            let container = ExtensionContainer(
                home: home.path, groupFolder: "\(folder.path)/\(ContainerNames.groups)", groups: entitlements.held,
                refused: entitlements.refused)
            return (container, Files(home: home, groups: groups))
        } catch {
            throw ExtensionHostError(
                .launchFailed, "\(bundle.identifier) has no container: \(error)",
                remedy: "Give the daemon's user the right to write \(folder.path)")
        }
    }

    /// Opens the folder of all containers of a user.
    static func all(in folder: ContainerFolder) throws(ExtensionHostError) -> ViewFile {
        do throws(ContainerError) {
            return try folder.whole()
        } catch {
            throw ExtensionHostError(.launchFailed, "the folder of containers cannot be opened: \(error)")
        }
    }

    /// The paths of all containers that the bundle uses.
    var paths: [String] { [home] + groups.map { "\(groupFolder)/\($0)" } }

    /// The environment variables that replace the daemon's own of the same names.
    var variables: [String: String] {
        ContainerNames.variables(home: home, groupFolder: groupFolder, groups: groups)
    }
}
