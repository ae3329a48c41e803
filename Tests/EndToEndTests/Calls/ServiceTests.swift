// ServiceTests: services that a host provides, and the connections of their clients.

import CallVocabulary
import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Locks
import Testing

@Suite struct ServiceTests {
    private static let name = "org.exthost.tests.echo"

    /// The clients of a provider, and the ends of their connections.
    private final class Clients: Sendable {
        private let state = Mutex<(connections: [ServiceConnection], ends: Int, hanging: Int)>(([], 0, 0))
        var connections: [ServiceConnection] { state.withLock { $0.connections } }
        var ends: Int { state.withLock { $0.ends } }
        /// The number of calls that came and are never answered.
        var hanging: Int { state.withLock { $0.hanging } }

        func hang() { state.withLock { $0.hanging += 1 } }

        func add(_ connection: ServiceConnection) {
            state.withLock { $0.connections.append(connection) }
            connection.whenEnded { [self] _ in state.withLock { $0.ends += 1 } }
        }
    }

    /// Provides an echo, and a call that is never answered.
    private static func provide(_ host: HostApplication, _ clients: Clients) async throws {
        try await host.provide(name) { connection in
            if connection.client?.identifier == "stranger" {
                throw ExtensionHostError(.notPermitted, "strangers are not served")
            }
            clients.add(connection)
            var handlers = PointHandlers()
            handlers.on(Echo.self) { echo, _ in Echo.Reply(echo) }
            handlers.on(End.self) { end, call in
                guard end.way == .hang else { throw CocoaError(.fileNoSuchFile) }
                clients.hang()
                await withCheckedContinuation { done in call.whenCancelled { done.resume() } }
                return Nothing()
            }
            handlers.on(Count.self) { count, call in
                for number in 1...count.upTo { try await call.send(part: try PointEncoder.encode(Count.Part(number))) }
                return Count.Reply((1...count.upTo).reduce(0, +))
            }
            return handlers
        }
    }

    private static func code(_ body: () async throws -> Void) async -> ExtensionHostError.Code? {
        do { try await body() } catch { return (error as? ExtensionHostError)?.code }
        return nil
    }

    // spec: PC-21
    @Test("PC-21: client and provider call each other, without a request") func bothSidesCall() async throws {
        try await withTestDaemon(applications: [] as [String]) { daemon in
            let (safari, notes) = (try await daemon.host("safari"), try await daemon.host("notes"))
            let clients = Clients()
            try await Self.provide(safari.application, clients)
            var handlers = PointHandlers()
            handlers.on(Question.self) { question, _ in Echo.Reply(Echo(text: question.text + "!")) }
            let connection = try await notes.application.connect(toService: Self.name, handling: handlers)
            #expect(try await connection.call(Echo(text: "a", number: 7)) == Echo.Reply(Echo(text: "a", number: 7)))
            let client = try #require(clients.connections.first)
            #expect(client.client?.role == .host && client.client?.identifier == "notes")
            #expect(client.client?.pid == Int(getpid()) && client.client?.containingApp == nil)
            #expect(try await client.call(Question("b")).text == "b!")
            let parts = Mutex<[Int]>([])
            let sum = try await connection.call(
                Count(upTo: 20),
                CallPort.Options(onPart: { part, taken in
                    if let part = try? PointDecoder.decode(Count.Part.self, from: part) {
                        parts.withLock { $0.append(part.number) }
                    }
                    taken()
                }))
            #expect(sum.sum == 210 && parts.withLock { $0 } == Array(1...20))
            let failure = await #expect(throws: (any Error).self) { try await connection.call(End(.fail)) }
            #expect((failure.map { $0 as NSError })?.domain == NSCocoaErrorDomain)
            #expect(await Self.code { _ = try await connection.call(Wait()) } == .notImplemented)
            #expect(
                await Self.code { _ = try await connection.call(End(.hang), .init(limit: .milliseconds(20))) }
                    == .timedOut)
            connection.close()
            try await eventually { clients.ends == 1 }
            #expect(await Self.code { _ = try await connection.call(Echo(text: "c")) } == .connectionLost)
            let events = try await daemon.events().filter { $0.event.hasPrefix("service.") }
            #expect(events.map(\.event) == ["service.opened", "service.closed"])
            #expect(events.last?.detail == "\(Self.name) by notes, 6 calls", "\(events)")
        }
    }

    // spec: PC-21
    @Test("PC-21: the example of docs/extension-points.md decides about clients") func thePagesExample() async throws {
        try await withTestDaemon(applications: [] as [String]) { daemon in
            let host = try await daemon.host("notes").application
            try await host.provide("org.example.echo") { connection in
                guard connection.client?.role == .host else { throw CocoaError(.userCancelled) }
                var handlers = PointHandlers()
                handlers.on(Echo.self) { echo, _ in Echo.Reply(echo) }
                return handlers
            }
            let client = try await daemon.host("client").application
            let connection = try await client.connect(toService: "org.example.echo")
            #expect(try await connection.call(Echo(text: "a")).text == "a")
        }
    }

    // spec: PC-21
    @Test("PC-21: a service that nobody provides is named, and one that another host provides is not taken over")
    func whoProvides() async throws {
        try await withTestDaemon(applications: [] as [String]) { daemon in
            let (safari, notes) = (try await daemon.host("safari"), try await daemon.host("notes"))
            let error = await #expect(throws: ExtensionHostError.self) {
                _ = try await notes.application.connect(toService: Self.name)
            }
            #expect(error?.code == .serviceUnavailable && error?.message == "nobody serves \(Self.name)", "\(error!)")
            let clients = Clients()
            try await Self.provide(safari.application, clients)
            #expect(await Self.code { try await Self.provide(notes.application, clients) } == .invalidArgument)
            #expect(
                await Self.code { try await notes.application.provide("a b") { _ in PointHandlers() } }
                    == .invalidArgument)
            let stranger = try await daemon.host("stranger")
            #expect(
                await Self.code { _ = try await stranger.application.connect(toService: Self.name) } == .notPermitted)
            var open: [ServiceConnection] = []
            for _ in 1...16 { open.append(try await notes.application.connect(toService: Self.name)) }
            #expect(
                await Self.code { _ = try await notes.application.connect(toService: Self.name) } == .quotaExceeded)
            // A client's end is the end of its connections.
            notes.application.disconnect()
            try await eventually { clients.ends == 16 }
            // A provider's end answers the calls that are open, and another may take its place.
            let other = try await daemon.host("other")
            let connection = try await other.application.connect(toService: Self.name)
            let hanging = clients.hanging
            let call = Task { await Self.code { _ = try await connection.call(End(.hang)) } }
            try await eventually { clients.hanging == hanging + 1 }
            safari.application.crash()
            #expect(await call.value == .connectionLost)
            try await eventually { await Self.code { try await Self.provide(stranger.application, clients) } == nil }
            withExtendedLifetime(open) {}
        }
    }

    // spec: PC-21
    @Test("PC-21: a client is answered though the provider decides never, or leaves") func everyClientIsAnswered()
        async throws
    {
        try await withTestDaemon(applications: [] as [String], arguments: ["--timer", "call=100ms"]) { daemon in
            let (slow, notes) = (try await daemon.host("slow").application, try await daemon.host("notes").application)
            let asked = Mutex<[ServiceConnection]>([])
            try await slow.provide("org.example.never") { connection in
                asked.withLock { $0.append(connection) }
                await withCheckedContinuation { done in connection.whenEnded { _ in done.resume() } }
                throw CocoaError(.userCancelled)
            }
            #expect(await Self.code { _ = try await notes.connect(toService: "org.example.never") } == .timedOut)
            let last = Task { await Self.code { _ = try await notes.connect(toService: "org.example.never") } }
            try await eventually { asked.withLock { $0.count } == 2 }
            slow.crash()
            #expect(await [.connectionLost, .timedOut].contains(last.value))
            try await eventually {
                await Self.code { _ = try await notes.connect(toService: "org.example.never") } == .serviceUnavailable
            }
        }
    }

    // spec: PC-21
    @Test("PC-21: a client is answered though the provider closes first") func aProviderCloses() async throws {
        try await withTestDaemon(applications: [] as [String]) { daemon in
            let (host, notes) = (try await daemon.host("host").application, try await daemon.host("notes").application)
            try await host.provide("org.example.closes") { connection in
                connection.close()
                throw CocoaError(.userCancelled)
            }
            // More than a client may have open: the ended ones do not count.
            for _ in 1...17 {
                #expect(
                    await Self.code { _ = try await notes.connect(toService: "org.example.closes") } == .connectionLost)
            }
        }
    }

    // spec: PC-21
    @Test("PC-21: a host provides 16 services, and repeats one of them") func servicesAreBounded() async throws {
        try await withTestDaemon(applications: [] as [String]) { daemon in
            let host = try await daemon.host("safari").application
            for number in 1...16 { try await host.provide("service.\(number)") { _ in PointHandlers() } }
            #expect(await Self.code { try await host.provide("service.17") { _ in PointHandlers() } } == .quotaExceeded)
            try await host.provide("service.16") { _ in PointHandlers() }
            let client = try await daemon.host("notes").application
            _ = try await client.connect(toService: "service.16")
        }
    }

    // spec: PC-21
    @Test("PC-21: connections outlive the daemon, and those whose client does not return end")
    func connectionsOutliveTheDaemon() async throws {
        let bundles = try TestBundles()
        try await withRestartingDaemon(bundles: bundles) { manager in
            let safari = try await HostApplication.connect(name: "safari", to: manager.address)
            let notes = try await HostApplication.connect(name: "notes", to: manager.address)
            let gone = try await HostApplication.connect(name: "gone", to: manager.address)
            let clients = Clients()
            try await Self.provide(safari, clients)
            var handlers = PointHandlers()
            handlers.on(Question.self) { question, _ in Echo.Reply(Echo(text: question.text)) }
            let connection = try await notes.connect(toService: Self.name, handling: handlers)
            let lost = Task { await Self.code { _ = try await connection.call(End(.hang)) } }
            for number in 1...3 {
                let other = number == 3 ? try await gone.connect(toService: Self.name) : nil
                manager.kill()
                if number == 3 { gone.crash() }
                try await eventually { manager.starts == number + 1 }
                let echo = try await connection.call(Echo(text: "\(number)"), .init(isRepeatable: true))
                #expect(echo.text == "\(number)")
                #expect(try await clients.connections[0].call(Question("q"), .init(isRepeatable: true)).text == "q")
                withExtendedLifetime(other) {}
            }
            let code = await lost.value
            #expect(code == .connectionLost || code == .contextFinished, "\(String(describing: code))")
            try await eventually { clients.ends == 1 }
            #expect(clients.connections.count == 2)
            withExtendedLifetime((safari, notes)) {}
        }
    }
}
