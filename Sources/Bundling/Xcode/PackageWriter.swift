// PackageWriter: the files of a generated package: its manifest, and links to sources.

import Foundation
import Glibc
import LinuxSystem
import SourceStamps

extension GeneratedPackage {
    /// The second line of each manifest. A package without it belongs to somebody else, and is not touched.
    private static let mark = "// Made by exthostctl bundle"

    /// Writes the package. Unchanged files stay untouched, so SwiftPM builds only the changes.
    func write() throws(ProjectError) {
        let manifest = folder + "/Package.swift"
        do {
            if access(manifest, F_OK) == 0 {
                let old = try readFile(manifest, maximumSize: 1 << 20)
                guard String(decoding: old, as: UTF8.self).contains("\n" + Self.mark) else {
                    throw SystemError("write \(manifest), which belongs to another package", code: EEXIST)
                }
            }
            try FileManager.default.createDirectory(atPath: folder + "/Sources", withIntermediateDirectories: true)
            for old in try listDirectory(folder + "/Sources", maximumCount: 10_000)
            where !modules.contains(where: { $0.name == old }) {
                try link([:], in: "\(folder)/Sources/\(old)")
            }
            for module in modules {
                let place = "\(folder)/Sources/\(module.name)"
                try link(Self.links(module.target), in: place, generated: Set(module.generated.keys))
                for (name, text) in module.generated { try Self.write(text, to: "\(place)/\(name)") }
            }
            for origin in origins {
                try FileManager.default.createDirectory(atPath: origin.folder, withIntermediateDirectories: true)
            }
            let text = Array(self.manifest.utf8)
            if (try? readFile(manifest, maximumSize: 1 << 20)) != text {
                try Data(text).write(to: URL(fileURLWithPath: manifest), options: .atomic)
            }
        } catch {
            throw ProjectError(
                ProjectFinding(
                    .notWritten, folder,
                    "the package cannot be written: \((error as? SystemError).map { "\($0)" } ?? error.localizedDescription)",
                    remedy: "Name another folder with --scratch-path"))
        }
    }

    /// The names of the files that are generated.
    private static let generatedNames: Set<String> = [
        TargetIntents.fileName, TargetModels.fileName, BridgedImports.fileName,
    ]

    /// Writes a generated file. A file with the same text stays untouched.
    private static func write(_ text: String, to path: String) throws {
        let bytes = Array(text.utf8)
        if (try? readFile(path, maximumSize: bytes.count)) == bytes { return }
        try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// Returns the names of the links with their targets. Further files of one name get a number.
    private static func links(_ target: XcodeTarget) -> [String: String] {
        var links: [String: String] = [:]
        for source in target.swiftSources {
            var name = source.path.split(separator: "/").last.map(String.init) ?? "Source.swift"
            if name == EntryPoint.fileName || generatedNames.contains(name) { name = "Own" + name }
            var number = 2
            while links[name] != nil {
                name = "\(number)-" + (source.path.split(separator: "/").last.map(String.init) ?? "Source.swift")
                number += 1
            }
            links[name] = source.path
        }
        return links
    }

    /// Updates the links of a folder. Other links are removed, and so is the folder if it becomes empty.
    private func link(_ links: [String: String], in folder: String, generated: Set<String> = []) throws {
        if !links.isEmpty || !generated.isEmpty {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        for name in try listDirectory(folder, maximumCount: 100_000) {
            let path = "\(folder)/\(name)"
            let old = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            guard let old, old != links[name] else {
                if links.isEmpty, name == EntryPoint.fileName { unlink(path) }
                if old == nil, Self.generatedNames.contains(name), !generated.contains(name) { unlink(path) }
                continue
            }
            unlink(path)
        }
        for (name, source) in links where access("\(folder)/\(name)", F_OK) != 0 {
            guard symlink(source, "\(folder)/\(name)") == 0 || errno == EEXIST else { throw SystemError("symlink") }
        }
        if links.isEmpty, generated.isEmpty { rmdir(folder) }
    }

    /// Returns the author's file for a link.
    func place(_ file: String) -> String {
        guard file.hasPrefix(folder + "/") else { return file }
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: file)) ?? file
    }

    /// The stamps of the author's files, as the project lists them.
    var stamps: SourceStamps {
        var files = [project.objects.file]
        for module in modules {
            files += (module.target.swiftSources + module.target.definitions).map(\.path)
            files += module.target.models + module.target.settingFiles
        }
        for origin in origins {
            files += [origin.information.path, origin.entitlements].compactMap { $0 } + origin.resources.map(\.path)
        }
        return SourceStamps(project: project.folder, folders: [], files: files)
    }

    private var manifest: String {
        let facades = Set(modules.flatMap(\.products).map(\.package)).subtracting([kit.folder]).sorted()
        var text = """
            // swift-tools-version: 6.2
            \(Self.mark) from \(project.name.split(whereSeparator: \.isNewline).joined()).xcodeproj, and replaced each time.

            import PackageDescription

            let package = Package(
                name: \(Self.quoted(project.name)),
                dependencies: [
                    .package(name: "exthost", path: \(Self.quoted(kit.folder))),

            """
        for package in facades { text += "        .package(path: \(Self.quoted(package))),\n" }
        text += "    ],\n    targets: [\n"
        for module in modules {
            let dependencies =
                module.dependencies.map { ".target(name: \(Self.quoted($0)))" }
                + module.products.map { product in
                    let name =
                        product.package == kit.folder
                        ? "exthost" : product.package.split(separator: "/").last.map(String.init) ?? ""
                    return ".product(name: \(Self.quoted(product.name)), package: \(Self.quoted(name)))"
                }
            text += """
                        .\(module.isProgram ? "executableTarget" : "target")(
                            name: \(Self.quoted(module.name)),
                            dependencies: [\(dependencies.joined(separator: ", "))],
                            path: \(Self.quoted("Sources/" + module.name)),
                            swiftSettings: [\(Self.settings(of: module.target).joined(separator: ", "))]),

                """
        }
        return text + "    ])\n"
    }

    private static func settings(of target: XcodeTarget) -> [String] {
        var settings = [".swiftLanguageMode(.\(languageMode(target.value("SWIFT_VERSION") ?? "5")))"]
        if target.value("SWIFT_DEFAULT_ACTOR_ISOLATION") == "MainActor" {
            settings.append(".defaultIsolation(MainActor.self)")
        }
        // On by default in Xcode; part of Swift 6.
        if target.value("SWIFT_ENABLE_BARE_SLASH_REGEX") != "NO" {
            settings.append(".enableUpcomingFeature(\"BareSlashRegexLiterals\")")
        }
        return settings + target.conditions.map { ".define(\(quoted($0)))" }
    }

    /// Returns the mode of the compiler for a `SWIFT_VERSION`, as a case of `SwiftLanguageMode`.
    private static func languageMode(_ version: String) -> String {
        switch version.split(separator: ".").first {
        case "6": "v6"
        case "4": version.hasPrefix("4.2") ? "v4_2" : "v4"
        default: "v5"
        }
    }

    /// Returns a text as a literal of Swift.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20: result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
