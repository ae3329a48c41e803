// ProjectRun: a run of a folder of sources, from its build to an outcome.

import Bundling
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

/// The run of a folder: its apps are built, and a private daemon knows no others.
struct ProjectRun {
    let command: RunCommand
    /// The absolute path.
    let folder: String

    /// Runs the folder's extension. Returns the exit status.
    func run(_ items: [OfferedItem]) async throws -> Int32 {
        let global = command.global
        let bundles = try ProjectBundles(folder, command.bundling, global, chosen: command.chosen)
        let identifier = try bundles.identifier(command.chosen, option: "--extension")

        let start = ContinuousClock.now
        let status = try await withTestDaemon(applications: bundles.paths) { daemon in
            let status = try await PrivateContainers.$groups.withValue(daemon.groupContainers) {
                try await command.begin(identifier, nil, items, daemon.address, isPrivate: true)
            }
            if !global.json, !global.quiet {
                let records = try await daemon.events()
                try StandardOutput.write(Self.misuses(records) + timeline(records))
                let buildTime = bundles.made.buildTime
                let built = buildTime > .zero ? "built in \(seconds(buildTime)), " : ""
                StandardError.line("exthostctl: \(built)outcome after \(seconds(ContinuousClock.now - start)) more")
            }
            return status
        }
        return status
    }

    private func timeline(_ records: [EventRecord]) -> String {
        var timeline = Timeline(isColoured: StandardOutput.hasColour)
        return "timeline\n" + records.map { "  " + timeline.line($0) + "\n" }.joined()
    }

    /// Returns lines about misuse, which an author may overlook among the other events: the extension used a context
    /// after its end.
    private static func misuses(_ records: [EventRecord]) -> String {
        UnexpectedEnd.all(in: records).filter { $0.event == EventName.contextFault.rawValue }.map { record in
            printable("  misused: \(record.detail ?? UnexpectedEnd.summary(record))") + "\n"
                + (UnexpectedEnd.remedy(record).map { "    \($0)\n" } ?? "")
        }.joined()
    }

    private func seconds(_ duration: Duration) -> String { written(seconds: duration / .seconds(1)) }
}
