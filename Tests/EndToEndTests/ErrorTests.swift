// ErrorTests: what people are told when something fails: why, and what to do.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import TestPrograms
import Testing

@Suite struct ErrorTests {
    @Test func `items that cannot travel are refused before a request begins, and named`() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let item = NSExtensionItem()
            item.userInfo = ["thing": NSObject()]
            let error = try await #require(throws: ExtensionHostError.self) {
                _ = try await host.begin(puppet, items: [item])
            }
            #expect(error.code == .invalidArgument)
            #expect(error.cause?.contains("NSObject") == true)
            #expect(error.remedy != nil)
            #expect(try await daemon.control.requests().isEmpty)
        }
    }

    @Test func `returned items that are too large to travel cancel the request by name`() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("returnMuch")])
            guard case .cancelled(.cancelledByExtension, let error as NSError) = await request.outcome else {
                throw UnexpectedOutcome(outcome: "\(await request.outcome)")
            }
            #expect(
                error.domain == ExtensionHostError.domain
                    && error.code == ExtensionHostError.Code.payloadTooLarge.rawValue)
            #expect(
                error.localizedFailureReason?.contains("over the limit of \(64 << 20)") == true, "\(error.userInfo)")
            #expect(error.localizedRecoverySuggestion?.isEmpty == false)
        }
    }

    @Test func `an error that is too large to travel keeps its name`() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("largeError")])
            guard case .cancelled(.cancelledByExtension, let error as NSError) = await request.outcome else {
                throw UnexpectedOutcome(outcome: "\(await request.outcome)")
            }
            #expect(error.domain == "puppet" && error.code == 8 && error.userInfo["bytes"] == nil)
        }
    }

    @Test func `a request whose connection is lost says so, with a remedy`() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")])
            host.disconnect()
            #expect(await request.outcome.cause == .connectionLost)
            let why = try #require(await request.explanation)
            #expect(why.code == .connectionLost)
            #expect(why.remedy != nil)
        }
    }

    @Test func `an order for what is not there has a remedy`() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let nobody = try await #require(throws: ExtensionHostError.self) {
                try await daemon.control.setState(.active, ofHost: "nobody")
            }
            #expect(nobody.code == .noSuchHost && nobody.remedy != nil)
            let ended = try await #require(throws: ExtensionHostError.self) {
                try await daemon.control.cancel(RequestIdentifier())
            }
            #expect(ended.code == .noSuchRequest && ended.remedy != nil)
            let real = try await #require(throws: ExtensionHostError.self) {
                try await daemon.clock.advance(by: .seconds(1))
            }
            #expect(real.code == .invalidArgument && real.remedy != nil)
        }
    }

    @Test func `a daemon that cannot start says why and what to do, with a status of its own`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("exthost-\(UUID())")
        let place = folder.appendingPathComponent("exthost")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("no socket".utf8).write(to: place.appendingPathComponent("host.sock"))

        let taken = try await daemon(["--bus", "none"], runtimeFolder: folder.path)
        #expect(taken.status == 70)
        #expect(taken.errors.contains("cannot listen at \(place.path)/host.sock"))
        #expect(taken.errors.contains("remove the file if it is not a socket"))

        let unread = try await daemon(["--config", "/nonexistent/settings"], runtimeFolder: folder.path)
        #expect(unread.status == 64)
        #expect(unread.errors.contains("/nonexistent/settings cannot be read"))

        let homeless = try await daemon([], runtimeFolder: "/nonexistent/runtime")
        #expect(homeless.status == 77)
        #expect(homeless.errors.contains("XDG_RUNTIME_DIR"))
    }

    /// Runs `exthostd` until it ends by itself.
    private func daemon(_ arguments: [String], runtimeFolder: String) async throws -> Program.Ending {
        try await Program.ending(
            of: SampleApplications.buildFolder + "/exthostd", arguments,
            environment: ["XDG_RUNTIME_DIR": runtimeFolder, "EXTHOST_APPLICATIONS": runtimeFolder])
    }
}
