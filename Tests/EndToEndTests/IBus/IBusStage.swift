// IBusStage: a bus of IBus, a daemon, and exthost-ibus with a keyboard in its own process.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts
import TestPrograms
import Testing

/// The parts of one test.
struct IBusStage {
    let daemon: TestDaemon
    let ibus: ScriptedIBus
    let program: Program
    let engine: ScriptedEngine

    static let path = SampleApplications.buildFolder + "/exthost-ibus"
    static let typist = KeyboardTests.typist

    /// A keyboard that is not slow for the machine: a key waits as long as it may.
    static let patient = ["--key-limit", "10s"]

    /// The environment of a program that finds no IBus and no daemon by itself.
    static func environment(_ more: [String: String] = [:]) -> [String: String] {
        ProcessInfo.processInfo.environment.filter { !["IBUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"].contains($0.key) }
            .merging(["XDG_CONFIG_HOME": "/nonexistent"].merging(more) { $1 }) { $1 }
    }

    /// The sample keyboard, or a principal class of `Typist`.
    static func bundles(_ principal: String) throws -> TestBundles {
        guard principal == "LatinKeys" else { return try KeyboardTests.bundles(principal: principal) }
        let bundles = try TestBundles()
        try bundles.add(
            "typist", program: SampleApplications.buildFolder + "/LatinKeys", rule: nil,
            information: [
                "NSExtension": [
                    "NSExtensionPointIdentifier": KeyboardHost.point,
                    "NSExtensionPrincipalClass": "LatinKeys.KeyboardViewController",
                    "NSExtensionAttributes": ["PrimaryLanguage": "en-GB"],
                ]
            ])
        return bundles
    }

    static func start(
        _ ibus: ScriptedIBus, _ socket: String, _ arguments: [String] = patient
    ) async throws -> (program: Program, engine: ScriptedEngine) {
        let program = try Program(
            path, ["--socket", socket, "--address", ibus.address] + arguments, environment: environment())
        try await program.shows("serves exthost-\(typist)")
        let sender = try #require(await ibus.components.last).sender
        return (program, try await ibus.engine("exthost-\(typist)", of: sender))
    }

    static func with(
        _ principal: String = "DesktopViewController", _ arguments: [String] = patient,
        _ body: (IBusStage) async throws -> Void
    ) async throws {
        let bundles = try bundles(principal)
        let ibus = try await ScriptedIBus.start()
        do {
            try await withTestDaemon(applications: [bundles.path]) { daemon in
                let (program, engine) = try await start(ibus, daemon.address.path, arguments)
                try await body(IBusStage(daemon: daemon, ibus: ibus, program: program, engine: engine))
                try program.end()
                let ending = try await program.ending()
                #expect(ending.status == 0, "\(ending)")
            }
        } catch {
            try await ibus.end()
            throw error
        }
        try await ibus.end()
    }

    /// The process of the keyboard.
    func keyboard() async throws -> pid_t {
        pid_t(
            try #require(
                try await daemon.control.processes().first { $0.extensionIdentifier == Self.typist }?.pid))
    }
}
