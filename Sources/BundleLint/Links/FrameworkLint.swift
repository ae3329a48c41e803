// FrameworkLint: the checks of programs against the frameworks in their app.

import ELF
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem
import PropertyListCoding

/// The frameworks and libraries in an app's `Frameworks`, which programs link to or load while they run.
///
/// It reads files within bounds and loads nothing. So it does not see whether a program loads a framework, nor whether
/// it checks the system's version before.
struct FrameworkLint {
    /// The first system with embedded frameworks (the guide, “Deploying a Containing App to Older Versions of iOS”).
    private static let firstVersion = BundleVersion("8.0")
    private static let minimumKey = "MinimumOSVersion"
    /// The maximum number of entries of `Frameworks` that are checked.
    private static let entriesLimit = 256

    private let app: String
    /// The real path of the app, outside of which no file is read.
    private let root: String
    /// The folder of the frameworks.
    private let folder: String
    private let names: [String]

    init(app: String) {
        self.app = app
        root = realPath(app) ?? app
        let folders = ["\(app)/Frameworks", "\(app)/Contents/Frameworks"]
        let found = folders.lazy.compactMap { folder in
            (try? listDirectory(folder, maximumCount: 65_536)).map { names in
                (folder, Array(names.sorted().prefix(Self.entriesLimit)))
            }
        }.first
        (folder, names) = found ?? (folders[0], [])
    }

    // MARK: The app

    /// Checks the app's own program.
    func check(_ information: InformationFile, _ report: inout LintReport) {
        guard !names.isEmpty, let name = information.dictionary["CFBundleExecutable"]?.string, !name.contains("/"),
            let program = inside("\(app)/\(BundleLayout(of: app).programs)\(name)")
        else { return }
        check(program: program, &report)
        guard let minimum = information.text(Self.minimumKey, &report).value, BundleVersion(minimum) < Self.firstVersion
        else { return }
        let linked = neededLibraries(of: program).filter(isEmbedded)
        guard !linked.isEmpty else { return }
        information.report(
            &report, .frameworkLinkedForOlderSystem, Self.minimumKey,
            "the app is for \(minimum.cut(toBytes: 32)), which has no embedded frameworks, and \(name) links to \(linked.prefix(4).joined(separator: ", ").cut(toBytes: 256)): it would not start there",
            remedy:
                "Load the framework with dlopen or Bundle.load() where UIDevice.current.systemVersion is at least 8.0, or raise \(Self.minimumKey)"
        )
    }

    /// Whether a library that a program needs lies in the app.
    private func isEmbedded(_ needed: String) -> Bool {
        let name = needed.split(separator: "/").last.map(String.init) ?? needed
        return names.contains(name) || names.contains(name + ".framework")
    }

    // MARK: Two runtimes

    /// Reports the Swift frameworks that a program cannot use, because two Swift runtimes would be in its process.
    func check(program: String, _ report: inout LintReport) {
        guard let own = runtime(of: program), own != .none else { return }
        let unusable = names.filter { name in
            guard name.hasSuffix(".framework"), let library = library(of: name), let other = runtime(of: library) else {
                return false
            }
            return other == .own || other == .shared && own == .own
        }
        guard !unusable.isEmpty else { return }
        report.add(
            .staticProgramLoadsSwiftFramework, shown(program),
            "if it loads \(unusable.prefix(4).joined(separator: ", ").cut(toBytes: 256)), there are two Swift runtimes in its process, and no Swift class of the framework is found",
            remedy: "Link program and framework to Swift's libraries: exthostctl bundle --dynamic")
    }

    /// Returns the real path of a framework's library; nil if it has none in the app.
    private func library(of framework: String) -> String? {
        let bundle = "\(folder)/\(framework)"
        let layout = BundleLayout(of: bundle)
        let bytes = try? readFile(layout.information, maximumSize: BundleInformation.fileLimit)
        let information = bytes.flatMap {
            try? PropertyList(file: $0, limits: BundleInformation.limits, form: .authored).dictionary
        }
        let name = information?["CFBundleExecutable"]?.string ?? String(framework.dropLast(".framework".count))
        guard !name.isEmpty, !name.contains("/") else { return nil }
        return inside("\(bundle)/\(name)") ?? inside("\(bundle)/Contents/Linux/\(name)")
    }

    private func runtime(of path: String) -> SwiftRuntime? {
        guard let file = try? ELFFile(path), file.isOfThisMachine, let links = try? ELFLinks(file) else { return nil }
        return SwiftRuntime(of: file, links)
    }

    // MARK: Paths

    private func inside(_ path: String) -> String? {
        realPath(path).flatMap { $0.hasPrefix(root + "/") ? $0 : nil }
    }

    private func shown(_ path: String) -> String {
        path.hasPrefix(root + "/") ? app + path.dropFirst(root.count) : path
    }
}
