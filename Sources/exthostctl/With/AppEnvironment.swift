// AppEnvironment: the variables by which an app learns of its container, for another program that starts it.

import ExtensionProtocol
import ExtensionRegistry
import Foundation

struct AppEnvironment {
    private let variables: [String: String]

    /// Creates the app's container and those of its groups.
    init(of path: String, isSystem: Bool) throws {
        let app = try Application(at: path)
        let folder = ContainerFolder(path: try Self.containers(isSystem))
        let groups = GroupEntitlements.read(path).groups.sorted()
        let home: String
        do {
            home = try folder.makeApplication(app.identifier).path
            for group in groups { _ = try folder.makeGroup(group) }
        } catch {
            throw ExtensionHostError(
                .launchFailed, "\(app.identifier) has no container: \(error)",
                remedy: "Give this user the right to write \(folder.path)")
        }
        variables = ContainerNames.variables(
            home: home, groupFolder: "\(folder.path)/\(ContainerNames.groups)", groups: groups)
    }

    func print(asJSON: Bool) throws {
        let sorted = variables.sorted { $0.key < $1.key }
        try StandardOutput.write(
            asJSON
                ? JSON.object(sorted.map { ($0.key, .string($0.value)) }).document
                : sorted.map { "\($0.key)=\($0.value)\n" }.joined())
    }

    /// Returns the folder of all containers.
    private static func containers(_ isSystem: Bool) throws -> String {
        let suffix = "/" + ContainerNames.groups
        if !isSystem, let groups = ProcessInfo.processInfo.environment[ContainerNames.groupFolderVariable],
            !groups.isEmpty
        {
            guard groups.hasPrefix("/"), groups.hasSuffix(suffix) else {
                throw CommandError.usage(
                    "\(ContainerNames.groupFolderVariable) is \(groups), which is not …\(suffix)",
                    remedy: "Unset it for this user's containers")
            }
            return String(groups.dropLast(suffix.count))
        }
        guard let folder = StateFolder.containers(isSystem: isSystem) else {
            throw CommandError.usage(
                "no variable names the folder of containers", remedy: "Set HOME or XDG_DATA_HOME to an absolute path")
        }
        return folder
    }
}
