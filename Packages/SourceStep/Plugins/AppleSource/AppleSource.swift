// AppleSource: the source step as a plugin of SwiftPM, for authors who run `swift build` themselves.

import Foundation
import PackagePlugin

/// A target keeps its original files in a folder `Apple`, which it excludes; SwiftPM compiles their copies.
@main
struct AppleSource: BuildToolPlugin {
    static let folder = "Apple"

    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let module = target as? SwiftSourceModuleTarget else { return [] }
        let root = module.directoryURL.appendingPathComponent(Self.folder).path
        let files = (FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix(".swift") }.sorted()
        guard !files.isEmpty else {
            Diagnostics.warning("\(module.name) has no Swift files in \(root)")
            return []
        }
        let output = context.pluginWorkDirectoryURL
        let originals = files.map { "\(root)/\($0)" }
        let copies = files.map { file in
            let name = file.hasSuffix("main.swift") ? file : file.dropLast(".swift".count) + ".linux.swift"
            return output.appendingPathComponent("\(module.moduleName)/\(name)")
        }
        return [
            .buildCommand(
                displayName: "Rewriting \(module.name)'s files for Linux",
                executable: try context.tool(named: "exthost-source").url,
                arguments: ["--output", output.path, "--module", module.moduleName, "--root", root] + originals,
                inputFiles: originals.map { URL(fileURLWithPath: $0) }, outputFiles: copies)
        ]
    }
}
