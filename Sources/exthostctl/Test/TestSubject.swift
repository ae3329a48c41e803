// TestSubject: the extension under test, found before any of it runs.

import Bundling
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import ExtensionRegistry
import Foundation
import Scenarios

/// The data by which a private daemon learns of the extension.
struct TestSubject: Sendable {
    /// Folders of apps, and apps.
    let applications: [String]
    /// The identifier. Nil for an extension that is registered by its path, which yields its identifier.
    private let identifier: String?
    /// The path of a program, or of an `.appex` alone.
    private let path: String?
    /// The name for people.
    let name: String

    /// Finds the subject. It builds and bundles a folder of sources; it inspects an app, or searches for an identifier,
    /// with a daemon.
    ///
    /// - Parameters:
    ///  - folder: the absolute folder that paths are relative to.
    ///  - applications: further folders of apps, absolute.
    ///  - choosing: the way to choose one of several, for people, which their names follow.
    /// - Throws: `CommandError`; `ExitCode` after faults of a folder that have been printed.
    init(
        _ subject: Scenario.Subject, in folder: String, applications: [String], choosing: String,
        _ bundling: BundleOptions,
        _ global: GlobalOptions
    ) async throws {
        name = subject.name
        guard Self.isPath(subject.name) else {
            self.applications = applications + SearchPath.standard
            identifier = try await Self.identifier(subject.name, among: self.applications)
            path = nil
            return
        }
        let path = URL(fileURLWithPath: subject.name, relativeTo: URL(fileURLWithPath: folder, isDirectory: true))
            .standardizedFileURL.path
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandError.missing(
                "there is no \(path)",
                remedy: NearestPath.question(path)
                    + "Name an app, an .appex, a program, a folder of sources, or an identifier without a slash")
        }
        if ProjectBundles.isProject(path) {
            let bundles = try ProjectBundles(path, bundling, global)
            if bundles.made.buildTime > .zero, !global.quiet {
                StandardError.line("exthostctl: built in \(written(seconds: bundles.made.buildTime / .seconds(1)))")
            }
            self.applications = applications + bundles.paths
            identifier = try bundles.identifier(subject.chosen, option: choosing)
            self.path = nil
        } else if path.hasSuffix(".app") {
            self.applications = applications + [path]
            identifier = try await Self.identifier(of: path, subject.chosen, choosing: choosing)
            self.path = nil
        } else {
            if let chosen = subject.chosen {
                throw CommandError.usage(
                    "\(path) is one extension, and \(chosen) selects one of several",
                    remedy: "Omit the name, or name the app")
            }
            self.applications = applications
            identifier = nil
            self.path = path
        }
    }

    /// Whether a name is a path, as for `exthostctl run`; the name of an app is one, too.
    private static func isPath(_ name: String) -> Bool {
        name.contains("/") || [".appex", ".app", ".xcodeproj"].contains(where: name.hasSuffix)
            || [".", ".."].contains(name)
    }

    /// Returns the identifier that the daemon uses. `control` keeps an extension registered that has a path.
    func identifier(at control: DaemonControl) async throws -> String {
        if let identifier { return identifier }
        return try await control.register(path: path ?? name)
    }

    private static func identifier(_ name: String, among applications: [String]) async throws -> String {
        let records = try await records(applications)
        guard records.contains(where: { $0.identifier == name && $0.problems.isEmpty }) else {
            let problems = records.filter { $0.identifier == name }.flatMap(\.problems)
            throw CommandError.missing(
                problems.isEmpty
                    ? "there is no extension \(name)" : "\(name) is disabled: \(problems.joined(separator: "; "))",
                remedy: problems.isEmpty
                    ? (NearestNames.question(name, among: Set(records.map(\.identifier)).sorted()).map { $0 + " " }
                        ?? "")
                        + "The search covered \(applications.joined(separator: ", ")); a path has a slash in it"
                    : "exthostctl lint shows every fault with its remedy")
        }
        return name
    }

    private static func identifier(of app: String, _ chosen: String?, choosing: String) async throws -> String {
        let records = try await records([app])
        let usable = records.filter(\.problems.isEmpty)
        guard !usable.isEmpty else {
            let problems = records.flatMap(\.problems)
            throw CommandError.missing(
                "\(app) has no usable extension" + (problems.isEmpty ? "" : ": \(problems.joined(separator: "; "))"),
                remedy: "exthostctl lint \(app) shows every fault with its remedy")
        }
        let named = usable.map(\.identifier).joined(separator: ", ")
        if let chosen {
            guard usable.contains(where: { $0.identifier == chosen }) else {
                throw CommandError.missing("\(app) has no extension \(chosen)", remedy: "There are: \(named)")
            }
            return chosen
        }
        guard usable.count == 1 else {
            throw CommandError.usage("\(app) has several extensions", remedy: "Choose one with \(choosing): \(named)")
        }
        return named
    }

    static func records(_ applications: [String]) async throws -> [ExtensionRecord] {
        let daemon = try await TestDaemon.start(DaemonProgram.locate(), applications: applications)
        let records: [ExtensionRecord]
        do {
            records = try await daemon.control.extensions(allVersions: true, allCopies: true)
        } catch {
            try? await daemon.stop()
            throw error
        }
        try await daemon.stop()
        return records
    }
}
