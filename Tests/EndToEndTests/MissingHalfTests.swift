// MissingHalfTests: an installation without exthost-init, the program that confines extensions, or with one that does
// not work.

import ExtensionHostTesting
import Foundation
import TestPrograms
import Testing

@Suite struct MissingHalfTests {
    private let bundles: TestBundles

    init() throws { bundles = try TestBundles.withPuppet() }

    /// Which daemon is started, and with which exthost-init.
    private func run(_ arguments: [String], initProgram: String, sandbox: String? = nil) async throws -> Program.Ending
    {
        var environment = ["EXTHOST_INIT": initProgram, "EXTHOST_APPLICATIONS": bundles.path]
        environment["EXTHOST_SANDBOX"] = sandbox
        return try await Program.control(arguments, environment: environment).ending()
    }

    @Test(arguments: [
        ("/nonexistent/exthost-init", "exthost-init is missing"), ("/bin/true", "/bin/true does not work"),
    ])
    func nothingIsLaunchedWithoutIt(_ program: String, _ why: String) async throws {
        for sandbox in [nil, "best", "required"] {
            let ending = try await run(
                ["run", puppet, "--title", "return", "--ephemeral"], initProgram: program, sandbox: sandbox)
            #expect(ending.status == 11, "\(ending)")
            #expect(ending.output.hasPrefix("interrupted (launchFailed)") && ending.output.contains(why), "\(ending)")
            #expect(ending.output.contains("--sandbox none launches extensions unconfined"), "\(ending)")
        }
    }

    @Test func whoeverStartsAPrivateDaemonIsToldAtOnce() async throws {
        for arguments in [["list", "--ephemeral"], ["with", "--", "true"]] {
            let ending = try await run(arguments, initProgram: "/nonexistent/exthost-init")
            #expect(ending.status == 0)
            #expect(ending.errors.contains("the daemon launches no extension without exthost-init"), "\(ending)")
        }
    }

    @Test func whoeverAsksForNoConfinementGetsNone() async throws {
        let ending = try await run(
            ["run", puppet, "--title", "return", "--ephemeral"], initProgram: "/nonexistent/exthost-init",
            sandbox: "none")
        #expect(ending.status == 0 && ending.output.hasPrefix("completed"), "\(ending)")
    }

    @Test func doctorFailsAndNamesTheConfinement() async throws {
        let installation = try Installation()
        for arguments in [[], ["--ephemeral"]] {
            let program = try Program.control(
                ["doctor", "--json"] + arguments,
                environment: installation.environment.merging(["EXTHOST_INIT": "/nonexistent/exthost-init"]) { $1 })
            let report = try await installation.report(of: program)
            #expect(report.status == 1)
            let (missing, confinement) = (try report.only("initProgram"), try report.only("confinement"))
            #expect(missing.status == "problem" && missing.found.contains("/nonexistent/exthost-init"))
            #expect(confinement.status == "problem" && confinement.found.contains("launches nothing"), "\(confinement)")
        }
    }

    /// A program among the daemon's dependencies brings what it links, such as Foundation with 45 MB. The parser of
    /// arguments links FoundationEssentials.
    @Test func theDaemonLinksNothingOfItsServices() throws {
        let path = SampleApplications.buildFolder + "/exthostd"
        let program = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        for text in ["libcurl.so", "libFoundation.so", "$s10Foundation", "icudt"] {
            #expect(program.range(of: Data(text.utf8)) == nil, "\(path) has \(text)")
        }
        #expect(program.range(of: Data("libsystemd.so".utf8)) != nil)
    }

    /// Whoever builds the product exthostd has the other half beside it.
    @Test func theProductOfTheDaemonBuildsIt() throws {
        let package = try TestBundles.source("Package.swift").split(whereSeparator: \.isWhitespace).joined(
            separator: " ")
        #expect(package.contains(#"program( "exthostd", [ "exthost-init","#))
    }
}
