// StubModules: a package of empty modules for imports that Linux does not have.

import Foundation

/// The writer of a package `Stubs` with one library for each missing module.
///
/// The files belong to the author, who adds as much of the real module as the extension needs. An existing file is
/// never changed.
public enum StubModules {
    /// A missing module that sources import.
    public struct Module: Sendable, Hashable {
        public var name: String
        /// The names that the sources use from it, as far as that is known without the module.
        public var uses: [Use]

        public init(name: String, uses: [Use] = []) {
            self.name = name
            self.uses = uses
        }
    }

    /// A name that the sources use and do not declare.
    public struct Use: Sendable, Hashable {
        public var name: String
        public var file: String
        /// The line, from 1.
        public var line: Int

        public init(name: String, file: String, line: Int) {
            self.name = name
            self.file = file
            self.line = line
        }
    }

    /// The name of the package's folder, which SwiftPM uses as its identity.
    public static let packageName = "Stubs"

    /// Writes `Package.swift` and `Sources/MODULE/MODULE.swift` for each module into a folder, and makes the folder if
    /// needed.
    ///
    /// Each module is a library product of its own name. Blocks.
    ///
    /// - Returns: the files that were written; existing files stay unchanged.
    /// - Throws: `ProjectError` if a file cannot be written.
    @discardableResult
    public static func write(for modules: [Module], into folder: String) throws -> [String] {
        let folder = URL(fileURLWithPath: folder).standardizedFileURL.path
        let manifest = folder + "/Package.swift"
        var written = try writeNew(packageText, to: manifest) ? [manifest] : []
        for module in modules.sorted(by: { $0.name < $1.name }) {
            let place = "\(folder)/Sources/\(module.name)"
            // A module that the author has completed may have files of other names.
            guard BundlePart.files(in: place, ending: ".swift").isEmpty else { continue }
            let file = "\(place)/\(module.name).swift"
            if try writeNew(text(of: module), to: file) { written.append(file) }
        }
        return written
    }

    /// Returns the line for a target's dependencies in the author's `Package.swift`.
    public static func product(_ module: String) -> String {
        ".product(name: \"\(module)\", package: \"\(packageName)\")"
    }

    /// The manifest. It finds the modules by their folders, so an author adds one by adding a folder.
    static let packageText = """
        // swift-tools-version: 6.0
        // Stubs: modules that extensions import and Linux lacks. exthostctl stub wrote this package; fill its files.

        import Foundation
        import PackageDescription

        let sources = Context.packageDirectory + "/Sources"
        let names = try FileManager.default.contentsOfDirectory(atPath: sources)
        let modules = names.filter { !$0.hasPrefix(".") }.sorted()

        let package = Package(
            name: "\(packageName)",
            products: modules.map { .library(name: $0, targets: [$0]) },
            targets: modules.map { .target(name: $0, swiftSettings: [.swiftLanguageMode(.v5)]) }
        )

        """

    static func text(of module: Module) -> String {
        var text = "// \(module.name): a stub, written by exthostctl stub. Declare here what the sources use from it.\n"
        if !module.uses.isEmpty {
            text += "//\n// What they use and nothing else declares (it may come from another module):\n"
        }
        for (name, uses) in Dictionary(grouping: module.uses, by: \.name).sorted(by: { $0.key < $1.key }) {
            let places = uses.prefix(3).map { "\($0.file.split(separator: "/").last ?? ""):\($0.line)" }
            text +=
                "//   \(name): \(places.joined(separator: ", "))\(uses.count > 3 ? " and \(uses.count - 3) more" : "")\n"
        }
        return text + "\nimport Foundation\n"
    }

    private static func writeNew(_ text: String, to path: String) throws -> Bool {
        guard !FileManager.default.fileExists(atPath: path) else { return false }
        do {
            let file = URL(fileURLWithPath: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file, options: .withoutOverwriting)
            return true
        } catch {
            throw ProjectError(
                ProjectFinding(
                    .notWritten, path, "the stub cannot be written: \(error.localizedDescription)",
                    remedy: "Make the folder writable"))
        }
    }
}
