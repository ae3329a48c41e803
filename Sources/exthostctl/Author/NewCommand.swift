// NewCommand: the verb that creates a folder of sources.

import ArgumentParser
import Bundling
import ExtensionHostTesting
import ExtensionPoints
import Foundation

struct NewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a folder with an app, an extension and a test that passes.",
        discussion: """
            POINT is an extension point's identifier, its last part, or its name; exthostctl show --point lists them.
            NAME is the name of the extension's module and of the folder, which must not exist. The extension counts the
            words of a text: for Share in a compose sheet, for Action in a view with a button. Most points with a
            framework have a template of their own. Of Apple's other points, exthost simulates only the process and not
            the calls of their frameworks: new refuses them without --anyway.

            A Swift package depends on the package that built this exthostctl. With an installed exthostctl, it depends
            on the package that EXTHOST names: a folder, or an address with "://". --package names another one.

            exthostctl run FOLDER builds and runs the extension. docs/first-extension.md is the tutorial.

            EXAMPLES
              exthostctl new share-services WordCount
              exthostctl new com.apple.ui-services Translate --identifier org.example.translate
              exthostctl new services WordCount --language python
              exthostctl new services WordCount --page-script
              exthostctl new share-services Photos --transfers
            """)

    @Argument(help: "The extension point: its identifier, its last part or its name.")
    var point: String

    @Argument(help: "The extension's name: letters and digits.")
    var name: String

    @Option(
        help: ArgumentHelp("The language of the extension: swift or python.", valueName: "language"),
        completion: .list(NewProject.Language.allCases.map(\.rawValue)),
        transform: { text in
            guard let language = NewProject.Language(rawValue: text) else {
                throw ValidationError("“\(text)” is not a supported language. Write swift or python.")
            }
            return language
        })
    var language = NewProject.Language.swift

    @Option(help: ArgumentHelp("The app's identifier; the default is org.example.NAME.", valueName: "id"))
    var identifier: String?

    @Option(
        help: ArgumentHelp(
            "The package that a Swift extension depends on: its folder, or URL@VERSION.", valueName: "path|url"),
        completion: .directory)
    var package: String?

    @Flag(
        name: .customLong("page-script"),
        help: "Action without a view: add a script that browsers run in a shared web page.")
    var pageScript = false

    @Flag(help: "Link the app and the extension with background transfers; the extension may use the network.")
    var transfers = false

    @Flag(help: "Accept a point with only a simulated process; the extension receives items, as at Share.")
    var anyway = false

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let parent = FileManager.default.currentDirectoryPath
        let project: NewProject
        let files: [String]
        do {
            project = try NewProject(
                name: name, point: try chosenPoint(), language: language, identifier: identifier,
                kit: language == .swift ? try kit() : nil, hasPageScript: pageScript, hasTransfers: transfers)
            files = try project.write(in: parent)
        } catch let error as NewProjectError {
            throw CommandError.usage(error.message, remedy: error.remedy)
        }
        if global.json {
            let document: JSON = [
                "folder": .string("\(parent)/\(name)"), "identifier": .string(project.extensionIdentifier),
                "point": .string(project.point.identifier), "summary": .string(project.summary),
                "files": .array(files.map(JSON.string)),
            ]
            return try StandardOutput.write(document.document)
        }
        guard !global.quiet else { return }
        for file in files { try StandardOutput.line("\(name)/\(file)") }
        StandardError.line("exthostctl: \(name) is \(project.summary)")
        StandardError.line(
            "exthostctl: \(name)/README.md describes how to run it"
                + (files.contains("\(name).scenario") ? "; exthostctl test \(name)/\(name).scenario tests it" : ""))
    }

    private func chosenPoint() throws(CommandError) -> ExtensionPoint {
        let point = try PointTable(folders: PointFolders.named ?? PointFolders.user).points.named(point)
        guard anyway || language == .swift || point.path != nil || point.framework == nil else {
            throw .usage(
                "\(point.identifier) (\(point.name)) has a framework in Swift only",
                remedy: "Omit --language python; with --anyway, the extension receives items and no calls")
        }
        guard anyway || !NewProject.isProcessOnly(point) else {
            let points = ["services", "ui-services"] + NewProject.pointsWithTemplates
            throw .usage(
                "of \(point.identifier) (\(point.name)), exthost simulates only the process and no calls of its framework",
                remedy:
                    "Choose \(points.dropLast().joined(separator: ", ")) or \(points.last ?? ""); with --anyway, the extension receives items as at the first two"
            )
        }
        return point
    }

    private func kit() throws(CommandError) -> NewProject.Kit {
        guard let package else {
            if let own = KitFolder.own { return .folder(own) }
            // An installed program's.
            guard let address = ProcessInfo.processInfo.environment["EXTHOST"], !address.isEmpty else {
                throw .usage(
                    "this exthostctl is not in a package's build folder, so the package for the extension is not known",
                    remedy: "Set EXTHOST to the address or a clone of exthostd's repository, or name it with --package")
            }
            if address.contains("://") { return .folder(address) }
            let path = URL(fileURLWithPath: address).standardizedFileURL.path
            guard KitFolder.isKit(path) else {
                throw .missing(
                    "EXTHOST names \(address), but there is no package with ExtensionFoundation",
                    remedy: "Name a clone of exthostd's repository, or its address with ://")
            }
            return .folder(path)
        }
        if package.contains("://") {
            let parts = package.split(separator: "@")
            guard parts.count >= 2, let version = parts.last, version.split(separator: ".").count == 3 else {
                throw .usage("\(package) names no version", remedy: "Write URL@VERSION, the version like 0.1.0")
            }
            return .repository(url: parts.dropLast().joined(separator: "@"), version: String(version))
        }
        let path = URL(fileURLWithPath: package).standardizedFileURL.path
        guard KitFolder.isKit(path) else {
            throw .missing(
                "there is no package with ExtensionFoundation in \(path)",
                remedy: "Name the folder of this project's Package.swift")
        }
        return .folder(path)
    }
}
