// BundleOptions: the options of every verb that makes an app from a folder of sources.

import ArgumentParser
import BundleLint
import Bundling
import Dispatch
import ExtensionHostTesting
import ExtensionPoints

struct BundleOptions: ParsableArguments {
    @Flag(help: "Optimise, and report what a store refuses as an error.")
    var release = false

    @Flag(name: .customLong("static"), help: "Link everything into the programs, including the C library.")
    var isStatic = false

    @Flag(
        name: .customLong("dynamic"),
        help:
            "Link Swift's libraries dynamically: reuses the products of swift build and swift test, needs the toolchain to run."
    )
    var isDynamic = false

    @Option(
        help: ArgumentHelp("Use the built programs in this folder, and build nothing.", valueName: "folder"),
        completion: .directory)
    var programs: String?

    @Option(
        help: ArgumentHelp("Put the apps into this folder; the default is .build/bundles.", valueName: "folder"),
        completion: .directory)
    var output: String?

    @Option(
        name: .customLong("scratch-path"), help: ArgumentHelp("SwiftPM builds in this folder.", valueName: "folder"),
        completion: .directory)
    var scratch: String?

    @Option(
        name: .customLong("setting"),
        help: ArgumentHelp(
            "The value of $(NAME) in Info.plist, such as MARKETING_VERSION=1.2; repeatable.",
            valueName: "name=value"))
    var settings: [String] = []

    @Option(
        help: ArgumentHelp(
            "The configuration of an Xcode project; default Debug, with --release Release.", valueName: "name"))
    var configuration: String?

    @Option(
        help: ArgumentHelp(
            "The folder of exthost's own package, for an Xcode project; the default is the package that built this program.",
            valueName: "folder"),
        completion: .directory)
    var kit: String?

    @Flag(
        name: .customLong("app"),
        help:
            "Of an Xcode project, also build the app's own sources; without this, the app only contains its extensions."
    )
    var includesApp = false

    @Flag(
        name: .customLong("stub"),
        help:
            "Of an Xcode project, write empty modules for missing imports into Stubs beside it, for you to fill."
    )
    var writesStubs = false

    func validate() throws {
        if isStatic, isDynamic { throw ValidationError("--static and --dynamic exclude each other.") }
        if programs != nil, isStatic || isDynamic || scratch != nil {
            throw ValidationError("--programs builds nothing: omit --static, --dynamic and --scratch-path.")
        }
    }

    /// The options that the user gave, in their written form. A verb that makes no app accepts none of them.
    var given: [String] {
        [
            (release, "--release"), (isStatic, "--static"), (isDynamic, "--dynamic"), (programs != nil, "--programs"),
            (output != nil, "--output"), (scratch != nil, "--scratch-path"), (!settings.isEmpty, "--setting"),
            (configuration != nil, "--configuration"), (kit != nil, "--kit"), (includesApp, "--app"),
            (writesStubs, "--stub"),
        ].filter(\.0).map(\.1)
    }

    var mode: LinkMode { isStatic ? .staticExecutable : isDynamic ? .dynamic : .staticStandardLibrary }

    /// Returns the modules of the package that `--kit` names, or that this program was built from.
    private func kitModules() throws(CommandError) -> KitModules? {
        guard let kit else { return KitFolder.own.flatMap { KitModules(folder: $0) } }
        guard let modules = KitModules(folder: kit) else {
            throw .missing(
                "there is no package with ExtensionFoundation in \(kit)",
                remedy: "Name the folder of exthost's Package.swift")
        }
        return modules
    }

    /// Makes the apps. It reports its progress, and the files that it wrote into the sources.
    func make(_ folder: String, only: [String] = [], quiet: Bool) throws -> BundleMaker.Result {
        var maker = BundleMaker(folder: folder)
        maker.mode = mode
        maker.isRelease = release
        maker.output = output
        maker.scratch = scratch
        maker.programs = programs
        maker.settings = settings
        maker.only = Set(only)
        maker.configuration = configuration
        maker.includesApp = includesApp
        maker.writesStubs = writesStubs
        maker.kit = try kitModules()
        let console = RunConsole(showsProgress: !quiet)
        let ticker = console.startTicker { console.redraw() }
        let lines =
            quiet || StandardError.isTerminal ? nil : BuildLines { console.line("exthostctl: \(printable($0))") }
        let timer = lines?.startTimer()
        defer {
            timer?.cancel()
            ticker?.cancel()
            console.end()
        }
        let points = PointTable(folders: PointFolders.named ?? PointFolders.user)
        let result = try maker.make(lint: BundleLint(points: points, isRelease: release)) {
            console.wait(for: $0)
            lines?.note($0)
        }
        if !result.stubs.isEmpty, !quiet {
            console.line(
                "exthostctl: Stubs beside the project replaces the modules \(result.stubs.joined(separator: ", "))")
        }
        for path in result.entryPoints where !quiet {
            console.line("exthostctl: wrote \(printable(path)), the program's entry point: store it with the sources")
        }
        return result
    }
}

extension MadeBundle {
    func json(_ mode: LinkMode?) -> JSON {
        [
            "path": .string(path), "identifier": .string(identifier),
            "extensions": .array(extensions.map { ["identifier": .string($0.identifier), "name": .string($0.name)] }),
            "programs": .array(
                programs.map {
                    [
                        "path": .string($0.path), "identifier": .string($0.identifier),
                        "extension": .boolean($0.isExtension),
                        "size": .integer($0.size), "link": .optional(mode?.rawValue),
                    ]
                }),
        ]
    }

    /// Returns a line for the app and one for each program.
    func text(_ mode: LinkMode?) -> String {
        var text = "bundled \(printable(path))\n"
        for program in programs {
            text += "  \(printable(program.identifier)): \(written(bytes: program.size))"
            if let mode {
                text += ", \(mode.rawValue), starts in about \(mode.start) if small and built with --release"
            }
            text += "\n"
        }
        return text
    }
}

extension LinkMode {
    /// The time until a small extension that uses Foundation has its request (docs/bundling.md, "Link modes").
    var start: String {
        switch self {
        case .staticStandardLibrary: "9 ms"
        case .staticExecutable: "7 ms"
        case .dynamic: "16 ms"
        }
    }
}

extension ProjectFinding {
    var json: JSON {
        [
            "severity": .string(severity.rawValue), "code": .string(code), "file": .string(file), "key": .optional(key),
            "line": .optional(line), "message": .string(message), "remedy": .string(remedy),
        ]
    }

    /// The finding as lint writes it. The line includes the key unless its message mentions the key.
    var written: String {
        let place = line.map { "\(file):\($0)" } ?? file
        let isTold = key.map { message.contains($0.split(separator: ".").last ?? "") } ?? true
        let named = isTold ? "" : "\(key ?? ""): "
        return printable("\(place): \(severity.rawValue): \(named)\(message) [\(code)]") + "\n  " + printable(remedy)
            + "\n"
    }
}
