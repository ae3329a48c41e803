// AppCommand: the program of an app, in its own container.

import ArgumentParser
import ExtensionProtocol
import ExtensionRegistry
import Foundation
import Glibc

struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Run the program of an app, with its own container as home.",
        usage: "exthostctl app [--environment] [--json] <path> [<argument> ...]",
        discussion: """
            The program is that of CFBundleExecutable in the app's Info.plist. HOME, CFFIXED_USER_HOME and TMPDIR name the app's container,
            Data/Application/IDENTIFIER, which is made if need be; EXTHOST_APP_GROUPS has the groups of its Entitlements.plist and
            EXTHOST_GROUP_CONTAINERS their folder. Containers are those of the private daemon within “exthostctl with”, of the system's
            daemon with --system, else of this user's. No daemon is needed. The app is not confined. Signals pass on to it, and the exit
            status is its own. Options of the app stand behind its path.

            EXAMPLES
              exthostctl app ./Notes.app
              exthostctl with --applications . -- exthostctl app ./Notes.app --import
              exthostctl app --environment ./Notes.app
            """)

    @Flag(help: "Make the container, print the variables and run nothing.")
    var environment = false

    @Flag(help: "With --environment, as a JSON object.")
    var json = false

    @Flag(help: "Use the containers of the system's daemon.")
    var system = false

    @Argument(help: ArgumentHelp("An .app.", valueName: "path"), completion: .directory)
    var path: String

    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var arguments: [String] = []

    func run() async throws {
        let app = try RunnableApplication(URL(fileURLWithPath: path).standardizedFileURL.path)
        let variables = try app.variables(in: ContainerFolder(path: try containers()))
        if environment {
            let sorted = variables.sorted { $0.key < $1.key }
            return try StandardOutput.write(
                json
                    ? JSON.object(sorted.map { ($0.key, .string($0.value)) }).document
                    : sorted.map { "\($0.key)=\($0.value)\n" }.joined())
        }
        var all = ProcessInfo.processInfo.environment
        // Folders of the user's, which would come before those of the home.
        for name in ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"] { all[name] = nil }
        all.merge(variables) { $1 }
        throw ExitCode(try await ForegroundCommand.run([app.executable] + arguments, environment: all))
    }

    /// The folder of all containers.
    private func containers() throws -> String {
        let suffix = "/" + ContainerNames.groups
        if !system, let groups = ProcessInfo.processInfo.environment[ContainerNames.groupFolderVariable], !groups.isEmpty {
            guard groups.hasPrefix("/"), groups.hasSuffix(suffix) else {
                throw CommandError.usage(
                    "\(ContainerNames.groupFolderVariable) is \(groups), which is not …\(suffix)",
                    remedy: "Unset it for this user's containers")
            }
            return String(groups.dropLast(suffix.count))
        }
        guard let folder = StateFolder.containers(isSystem: system) else {
            throw CommandError.usage("nothing says where containers are", remedy: "Set HOME or XDG_DATA_HOME to an absolute path")
        }
        return folder
    }
}

/// An app whose program can be run.
private struct RunnableApplication {
    let path: String
    let identifier: String
    let executable: String

    init(_ path: String) throws {
        self.path = path
        var status = stat()
        guard path.hasSuffix(".app"), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw CommandError.missing("there is no app at \(path)", remedy: "Name a folder NAME.app")
        }
        guard let identifier = applicationIdentifier(path) else {
            throw CommandError.missing(
                "\(path) has no CFBundleIdentifier that could be read", remedy: "Write one into its Info.plist")
        }
        guard let name = applicationExecutable(path) else {
            throw CommandError.missing(
                "\(path) names no program", remedy: "Write CFBundleExecutable into its Info.plist, a name without folders")
        }
        let place = BundleLayout(of: path).programs + name
        if let problem = BundleReader.problem(ofProgram: place, name, in: path) {
            let parts = problem.split(separator: ". ", maxSplits: 1).map(String.init)
            throw CommandError.missing("\(path): \(parts[0])", remedy: parts.count > 1 ? parts[1] : "Build it into the app")
        }
        self.identifier = identifier
        executable = "\(path)/\(place)"
    }

    /// Makes its container and those of its groups; what the app finds in its environment.
    func variables(in folder: ContainerFolder) throws -> [String: String] {
        let groups = GroupEntitlements.read(path).groups.sorted()
        let home: String
        do {
            home = try folder.makeApplication(identifier)
            for group in groups { _ = try folder.makeGroup(group) }
        } catch {
            throw ExtensionHostError(
                .launchFailed, "\(identifier) has no container: \(error)", remedy: "Let this user have and write \(folder.path)")
        }
        return ContainerNames.variables(
            home: home, groupFolder: "\(folder.path)/\(ContainerNames.groups)", groups: groups)
    }
}
