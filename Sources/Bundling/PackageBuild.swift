// PackageBuild: the runs of SwiftPM for a bundle: the description of a package, and the build of its programs.

import Foundation
import LinuxSystem

struct PackageBuild {
    let package: String
    let mode: LinkMode
    let isRelease: Bool
    /// The folder of the builds of all modes; nil for SwiftPM's own: `SWIFTPM_BUILD_DIR`, or `.build` in the package.
    let scratch: String?
    /// The callback for the step that is being built and its progress, `[12/40]`, on a thread of its own.
    let progress: @Sendable (String) -> Void
    /// The source step's file for the compiler, which replaces the author's files by copies.
    var overlay: String?

    private var place: [String] { ["--scratch-path", scratchFolder] }

    func describe() throws -> PackageDescription {
        let result = try run(
            ["package", "--package-path", package] + place + ["describe", "--type", "json"], "")
        guard result.status == 0 else {
            let all = Self.messages(result.errors, .packageUnreadable, package + "/Package.swift")
            throw ProjectError(all)
        }
        do {
            // Other output may come before the JSON.
            let start = result.output.firstIndex(of: UInt8(ascii: "{")) ?? result.output.startIndex
            return try JSONDecoder().decode(PackageDescription.self, from: Data(result.output[start...]))
        } catch {
            throw ProjectError(
                ProjectFinding(
                    .packageUnreadable, package + "/Package.swift",
                    "the output of swift package describe is not understood: \(error)",
                    remedy: "Use Swift 6.2 or newer"))
        }
    }

    /// Fetches the packages that are named.
    func resolve() throws {
        let result = try run(["package", "--package-path", package] + place + ["resolve"], "")
        guard result.status == 0 else {
            throw ProjectError(
                Self.messages(result.output + result.errors, .packageUnreadable, package + "/Package.swift"))
        }
    }

    /// Builds products, one after the other, and returns the folder that contains them.
    ///
    /// - Parameter libraries: the products that are the libraries of frameworks.
    func build(_ products: [String], libraries: Set<String> = []) throws -> String {
        let common = common
        // The run paths find embedded libraries from an app's program, and from an extension's (ld.so(8)).
        let programPaths = ["$ORIGIN/Frameworks", "$ORIGIN/../../Frameworks"]
        for product in products {
            // A framework finds the libraries beside it.
            let paths = libraries.contains(product) ? ["$ORIGIN/.."] : programPaths
            let runPaths = paths.flatMap { ["-Xlinker", "-rpath=\($0)"] }
            let result = try run(
                ["build", "--product", product] + common + (mode == .staticExecutable ? [] : runPaths), product)
            guard result.status == 0 else {
                throw ProjectError(
                    Self.messages(result.output + result.errors, .buildFailed, package + "/Package.swift"))
            }
        }
        let shown = try run(["build", "--show-bin-path"] + common, "")
        let path = String(decoding: shown.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard shown.status == 0, path.hasPrefix("/") else {
            throw ProjectError(Self.messages(shown.output + shown.errors, .buildFailed, package + "/Package.swift"))
        }
        return path
    }

    private var common: [String] {
        ["--package-path", package] + place + ["-c", isRelease ? "release" : "debug"] + mode.arguments
            + (overlay.map { ["-Xswiftc", "-vfsoverlay", "-Xswiftc", $0] } ?? [])
    }

    /// The absolute path of the folder in which SwiftPM builds.
    var scratchFolder: String {
        let all = scratch ?? ProcessInfo.processInfo.environment["SWIFTPM_BUILD_DIR"] ?? "\(package)/.build"
        let own = mode.scratchFolder.map { "\(all)/\($0)" } ?? all
        return URL(fileURLWithPath: own).standardizedFileURL.path
    }

    // MARK: Running swift

    private struct Result {
        let status: Int32
        let output: [UInt8]
        let errors: [UInt8]
    }

    /// The maximum number of bytes that are stored of a compiler's output.
    private static let outputLimit = 1 << 20

    private func run(_ arguments: [String], _ product: String) throws -> Result {
        guard let swift = Self.locate() else {
            throw ProjectError(
                ProjectFinding(
                    .swiftMissing, package, "there is no swift on the PATH",
                    remedy: "Install Swift 6.2 or newer (https://www.swift.org/install/linux/)"))
        }
        var variables = ProcessInfo.processInfo.environment
        // Most of these variables come from a plug-in or a test around this process. SwiftPM prefers SWIFTPM_BUILD_DIR
        // to the folder on its command line, and `scratchFolder` has read it already.
        for name in variables.keys where name.hasPrefix("SWIFTPM_") { variables[name] = nil }
        do {
            let compiler = try Compiler(swift, arguments, variables)
            let written = read(compiler.output, product)
            return Result(
                status: try compiler.status(), output: written, errors: compiler.errors(atMost: Self.outputLimit))
        } catch let error as SystemError {
            throw ProjectError(
                ProjectFinding(
                    .swiftMissing, swift, "it cannot be executed: \(error)",
                    remedy: "Install Swift 6.2 or newer (https://www.swift.org/install/linux/)"))
        }
    }

    /// Reads a stream, and returns all of it, or its end beyond the limit. Lines that begin with a count are progress.
    private func read(_ handle: FileHandle, _ product: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var start = 0
        while case let data = handle.availableData, !data.isEmpty {
            bytes += data
            while let end = bytes[start...].firstIndex(of: 0x0A) {
                let line = bytes[start..<end]
                start = end + 1
                guard !product.isEmpty, line.first == UInt8(ascii: "["),
                    let close = line.firstIndex(of: UInt8(ascii: "]"))
                else {
                    continue
                }
                progress("building \(product) \(String(decoding: line[...close], as: UTF8.self))")
            }
            if bytes.count > Self.outputLimit {
                let cut = bytes.count - Self.outputLimit / 2
                bytes.removeFirst(cut)
                start = max(0, start - cut)
            }
        }
        return bytes
    }

    static func locate() -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { $0 + "/swift" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    // MARK: What the compiler says

    private static func remedy(for error: String) -> String {
        // FoundationNetworking declares the configuration as one that is unavailable.
        if error.hasPrefix("'background(withIdentifier:)' is unavailable")
            || error.hasPrefix("no such module '\(KitModules.transfers)'")
        {
            return "Add .product(name: \"\(KitModules.transfers)\", package: \"exthost\") to the target's dependencies"
        }
        return error.hasPrefix("no such module")
            ? "Depend on a package that has it, or write an empty one with exthostctl stub" : "Correct the source there"
    }

    /// The maximum number of findings from one run of the compiler.
    private static let messagesLimit = 20

    /// Parses the lines `file:line:column: error: …`, each with its place.
    ///
    /// If there are none, it takes the lines with an error, or else the last lines.
    static func messages(_ output: [UInt8], _ code: ProjectFinding.Code, _ file: String) -> [ProjectFinding] {
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        var found: [ProjectFinding] = []
        var seen: Set<String> = []
        for line in lines where found.count < messagesLimit {
            guard let sign = line.range(of: "error: ") else { continue }
            let words = String(line[sign.upperBound...])
            let place = line[..<sign.lowerBound].split(separator: ":", omittingEmptySubsequences: false).map(
                String.init)
            guard seen.insert(line).inserted else { continue }
            // The parts are the path, the line, the column, and a space.
            if place.count >= 4, place[0].hasPrefix("/"), let number = Int(place[1]) {
                found.append(ProjectFinding(code, place[0], line: number, words, remedy: remedy(for: words)))
            } else if !words.hasPrefix("emit-module command failed") && !words.hasPrefix("fatalError") {
                // FoundationNetworking requires libcurl, which is linked as well unless Swift's libraries stay outside.
                let remedy =
                    words.hasPrefix("cannot find -l")
                    ? "Install the library's development files (of libcurl: libcurl4-openssl-dev), or use --dynamic"
                    : "Read the messages of swift build in \(file)'s folder"
                found.append(ProjectFinding(code, file, words, remedy: remedy))
            }
        }
        // Errors with a place say more than the errors that follow from them.
        let placed = found.filter { $0.line != nil }
        if !placed.isEmpty { return placed }
        if !found.isEmpty { return found }
        let last = lines.suffix(5).joined(separator: " / ")
        return [
            ProjectFinding(
                code, file, last.isEmpty ? "swift failed without a message" : last,
                remedy: "Run swift build, and correct the faults that it reports")
        ]
    }
}
