// LoadingStage: an app with the sample's framework, whose program loads what a test names.

import ExtensionHostTesting
import Foundation
import TestPrograms
import Testing

/// `Tests.app` with `LoadTrial`, linked in one of three ways, and with `PostcardKit.framework`.
struct LoadingStage {
    let bundles: TestBundles
    var app: String { bundles.app }
    var framework: String { app + "/Frameworks/PostcardKit.framework" }
    /// The framework's library.
    let library: String
    private let program: String

    static let built = SampleApplications.buildFolder + "/libPostcardKit.so"

    /// - Parameter contents: whether the framework's files lie in `Contents`, as a bundle of macOS has them.
    init(_ program: String = "LoadTrialApp", contents: Bool = false) throws {
        bundles = try TestBundles()
        self.program = program
        try bundles.addProgram(program, copyOf: SampleApplications.buildFolder + "/" + program)
        let framework = bundles.app + "/Frameworks/PostcardKit.framework"
        let inner = contents ? framework + "/Contents" : framework
        library = (contents ? inner + "/Linux" : inner) + "/PostcardKit"
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: library).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: Self.built, toPath: library)
        try bundles.write(
            [
                "CFBundleIdentifier": "org.exthost.tests.PostcardKit", "CFBundleExecutable": "PostcardKit",
                "CFBundlePackageType": "FMWK", "NSPrincipalClass": "PostcardKit.Postcard",
            ], to: inner + "/Info.plist")
    }

    /// What the program prints for each act, when it runs alone.
    func alone(_ acts: String...) async throws -> (said: [String: String], ending: Program.Ending) {
        let ending = try await Program.run(app + "/" + program, acts, socket: "").ending()
        return (Self.lines(ending.output), ending)
    }

    /// The same, as the daemon's app.
    func confined(_ daemon: TestDaemon, _ acts: [String]) async throws -> [String: String] {
        let ending = try await control(["app", app] + acts, daemon)
        #expect(ending.status == 0, "\(ending)")
        return Self.lines(ending.output)
    }

    static func lines(_ output: String) -> [String: String] {
        let pairs = output.split(separator: "\n").compactMap { line -> (String, String)? in
            let words = String(line).components(separatedBy: ": ")
            return words.count > 1 ? (words[0], words.dropFirst().joined(separator: ": ")) : nil
        }
        return Dictionary(pairs) { $1 }
    }

    /// Makes a library or a program of C.
    func compile(_ source: String, to product: String, _ arguments: [String]) async throws {
        let file = bundles.path + "/source-\(UUID().uuidString).c"
        try Data(source.utf8).write(to: URL(fileURLWithPath: file))
        let compiler = try Program.run(
            "/usr/bin/env", ["clang", "-fPIC", "-w", "-o", product, file] + arguments, socket: "")
        let ending = try await compiler.ending()
        try #require(ending.status == 0, "\(ending.errors)")
    }
}
