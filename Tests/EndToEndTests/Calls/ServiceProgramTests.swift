// ServiceProgramTests: programs that the daemon launches for their services.

import CallVocabulary
import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

/// A folder with the property lists of services.
struct ServiceFolder: ~Copyable {
    static let echo = "org.exthost.tests.service"
    let folder: TemporaryDirectory
    var arguments: [String] { ["--services", folder.path] }

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }
    deinit { try? folder.remove() }

    /// Describes `ServiceEcho`, or another program.
    func add(_ name: String = echo, program: String? = nil, _ more: [String: Any] = [:]) throws {
        var list: [String: Any] = ["Program": program ?? SampleApplications.buildFolder + "/ServiceEcho"]
        list.merge(more) { $1 }
        try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: folder.path + "/\(name).plist"))
    }
}

@Suite struct ServiceProgramTests {
    private static let name = ServiceFolder.echo

    private static func failure(_ body: () async throws -> Void) async -> ExtensionHostError? {
        do { try await body() } catch { return error as? ExtensionHostError }
        return nil
    }

    private static func processes(_ daemon: TestDaemon) async throws -> [ProcessRecord] {
        try await daemon.control.processes().filter { $0.kind == "service" }
    }

    // spec: PC-21
    @Test("PC-21: a program is launched at the first use of its service, serves all, and ends when it rests")
    func theLifeOfAProgram() async throws {
        let services = try ServiceFolder()
        try services.add(Self.name, ["Arguments": ["one", "two"]])
        try await withTestDaemon(applications: [] as [String], arguments: services.arguments) { daemon in
            let (safari, notes) = (
                try await daemon.host("safari").application, try await daemon.host("notes").application
            )
            #expect(try await Self.processes(daemon).isEmpty)
            var handlers = PointHandlers()
            handlers.on(Question.self) { question, _ in Echo.Reply(Echo(text: question.text + "!")) }
            async let second = safari.connect(toService: Self.name)
            let first = try await notes.connect(toService: Self.name, handling: handlers)
            let other = try await second
            let echo = try await first.call(Echo(text: "client"))
            #expect(echo.text == "notes")
            #expect(try await other.call(Echo(text: "client")) == Echo.Reply(Echo(text: "safari", number: echo.number)))
            #expect(try await first.call(Echo(text: "ask")).text == "from the program!")
            #expect(try await other.call(Echo(text: "arguments")).text == "one,two")
            let running = try await Self.processes(daemon)
            #expect(running.map(\.extensionIdentifier) == [Self.name] && running.count == 1)
            #expect(running.first?.state == "running" && running.first?.kind == "service")
            let shown = try await Program.control(["ps"], socket: daemon.address.path).ending().output
            #expect(shown.contains(Self.name) && shown.contains("service"), "\(shown)")
            // It has clients, so it goes on.
            #expect(try await first.call(Echo(text: "rest")).text == "rests")
            first.close()
            #expect(try await other.call(Echo(text: "rest")).number == echo.number)
            other.close()
            let last = try await notes.connect(toService: Self.name)
            #expect(try await last.call(Echo(text: "rest later")).number == echo.number)
            last.close()
            try await eventually { try await !daemon.control.exits().isEmpty }
            let death = try #require(try await daemon.control.exits().last)
            #expect(death.extensionIdentifier == Self.name)
            #expect(death.exit.cause == .idle && death.exit.status == 0, "\(death)")
            let next = try await notes.connect(toService: Self.name)
            #expect(try await next.call(Echo(text: "client")).text == "notes")
            #expect(try await Self.processes(daemon).map(\.pid) != running.map(\.pid))
        }
    }

    // spec: PC-21
    @Test("PC-21: a missing program, one that exits, and a wrong property list are told by name")
    func whatIsWrongIsTold() async throws {
        let services = try ServiceFolder()
        try services.add()
        try services.add("org.exthost.tests.missing", program: "/nowhere/program")
        try services.add("org.exthost.tests.exits", ["Arguments": ["--exit"]])
        try services.add("org.exthost.tests.wrong", ["Sandbox": "none"])
        try services.add("org.exthost.tests.relative", program: "program")
        try await withTestDaemon(applications: [] as [String], arguments: services.arguments) { daemon in
            let notes = try await daemon.host("notes").application
            func failure(_ name: String) async -> ExtensionHostError? {
                await Self.failure { _ = try await notes.connect(toService: "org.exthost.tests.\(name)") }
            }
            let missing = await failure("missing")
            #expect(missing?.code == .helperMissing && missing?.message.contains("/nowhere/program") == true)
            let exits = await failure("exits")
            #expect(exits?.code == .serviceUnavailable && exits?.message.contains("has ended") == true, "\(exits!)")
            for name in ["wrong", "relative"] { #expect(await failure(name)?.code == .serviceUnavailable) }
            let connection = try await notes.connect(toService: Self.name)
            // The end of the program ends its connections and their calls.
            let ended = await Self.failure { _ = try await connection.call(End(.exit)) }
            #expect(ended?.code == .connectionLost, "\(String(describing: ended))")
            let next = try await notes.connect(toService: Self.name)
            #expect(try await next.call(Echo(text: "client")).text == "notes")
        }
    }

    // spec: PC-21
    @Test("PC-21: the example of docs/extension-points.md serves") func thePagesExample() async throws {
        let services = try ServiceFolder()
        try services.add(Self.name, program: SampleApplications.buildFolder + "/EchoService")
        try await withTestDaemon(applications: [] as [String], arguments: services.arguments) { daemon in
            let host = try await daemon.host("notes")
            let connection = try await host.application.connect(toService: Self.name)
            #expect(try await connection.call(Echo(text: "a")).text == "a")
            host.application.disconnect()
        }
    }

    // spec: PC-21
    @Test("PC-21: a host that provides the service comes before its program") func aHostComesFirst() async throws {
        let services = try ServiceFolder()
        try services.add()
        try await withTestDaemon(applications: [] as [String], arguments: services.arguments) { daemon in
            let (fake, notes) = (try await daemon.host("fake").application, try await daemon.host("notes").application)
            let program = try await notes.connect(toService: Self.name)
            try await fake.provide(Self.name) { _ in
                var handlers = PointHandlers()
                handlers.on(Echo.self) { _, _ in Echo.Reply(Echo(text: "fake")) }
                return handlers
            }
            let other = try await notes.connect(toService: Self.name)
            #expect(try await other.call(Echo(text: "client")).text == "fake")
            #expect(try await program.call(Echo(text: "client")).text == "notes")
            fake.disconnect()
            try await eventually {
                let next = try? await notes.connect(toService: Self.name)
                return (try? await next?.call(Echo(text: "client")).text) == "notes"
            }
        }
    }

    // spec: PC-21
    @Test("PC-21: a program that uses the containers renames a file from one into another, and reads nothing else")
    func theContainersOfAProgram() async throws {
        let services = try ServiceFolder()
        try services.add(Self.name, ["Containers": true])
        try services.add("org.exthost.tests.without")
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: services.arguments) { daemon in
            let notes = try await daemon.host("notes").application
            let group = try #require(daemon.groupContainers) + "/group.org.exthost.tests"
            try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: true)
            let connection = try await notes.connect(toService: Self.name)
            #expect(try await connection.call(Echo(text: "move group.org.exthost.tests")).text == group + "/whole")
            #expect(try String(contentsOfFile: group + "/whole", encoding: .utf8) == "moved")
            let isConfined = try await Self.processes(daemon).first?.sandbox != "none"
            if isConfined {
                #expect(try await connection.call(Echo(text: "read \(bundles.app)/Info.plist")).text != "readable")
            }
            let without = try await notes.connect(toService: "org.exthost.tests.without")
            #expect(try await without.call(Echo(text: "move group.org.exthost.tests")).text == "errno 2")
            if isConfined { #expect(try await without.call(Echo(text: "read \(group)/whole")).text != "readable") }
        }
    }

    // spec: PC-21
    @Test("PC-21: a program's waits are on the daemon's clock") func theClockOfAProgram() async throws {
        let services = try ServiceFolder()
        try services.add()
        try await withTestDaemon(applications: [] as [String], clock: .virtual, arguments: services.arguments) {
            daemon in
            let notes = try await daemon.host("notes").application
            let connection = try await notes.connect(toService: Self.name)
            let sleeper = Task {
                try await connection.call(Echo(text: "sleep 3000"), .init(limit: .seconds(5000))).text
            }
            // The program may read a later call first, so it has to say that it has read this one.
            try await eventually { try await connection.call(Echo(text: "sleeps")).text == "1" }
            try await daemon.clock.advance(by: .seconds(3000))
            #expect(try await sleeper.value == "slept")
        }
    }

    // spec: PC-21
    @Test("PC-21: a program with KeepAlive is launched again after a crash, and with the next daemon; another is not")
    func aProgramIsKeptAlive() async throws {
        let services = try ServiceFolder()
        try services.add(Self.name, ["KeepAlive": true])
        try services.add("org.exthost.tests.other")
        try await withRestartingDaemon(bundles: try TestBundles(), services.arguments) { manager in
            let notes = try await HostApplication.connect(name: "notes", to: manager.address)
            func running() async throws -> [ProcessRecord] {
                let control = try await DaemonControl.connect(name: "test", to: manager.address)
                return try await control.processes().filter { $0.kind == "service" && $0.state == "running" }
            }
            for name in [Self.name, "org.exthost.tests.other"] {
                let connection = try await notes.connect(toService: name)
                _ = await Self.failure { _ = try await connection.call(End(.exit)) }
            }
            try await eventually { try await running().map(\.extensionIdentifier) == [Self.name] }
            let pid = try #require(try await running().first).pid
            manager.kill()
            #expect(Glibc.kill(pid_t(pid), SIGKILL) == 0)
            try await eventually {
                let now = (try? await running()) ?? []
                return now.map(\.extensionIdentifier) == [Self.name] && now.first?.pid != pid
            }
            withExtendedLifetime(notes) {}
        }
    }

    // spec: PC-21
    @Test("PC-21: a program with KeepAlive whose file is gone for a while is launched once it is back")
    func aLaunchThatFails() async throws {
        let services = try ServiceFolder()
        let program = services.folder.path + "/program"
        try FileManager.default.copyItem(atPath: SampleApplications.buildFolder + "/ServiceEcho", toPath: program)
        try waitForWriters(of: program)
        try services.add(Self.name, program: program, ["KeepAlive": true])
        try await withTestDaemon(applications: [] as [String], clock: .virtual, arguments: services.arguments) {
            daemon in
            let notes = try await daemon.host("notes").application
            let connection = try await notes.connect(toService: Self.name)
            #expect(rename(program, program + ".away") == 0)
            _ = await Self.failure { _ = try await connection.call(End(.exit)) }
            // The next launches are due after 1, 2 and 4 s.
            try await daemon.clock.advance(by: .milliseconds(3500))
            #expect(try await Self.processes(daemon).isEmpty)
            #expect(rename(program + ".away", program) == 0)
            try await daemon.clock.advance(by: .milliseconds(3000))
            #expect(try await Self.processes(daemon).isEmpty)
            try await daemon.clock.advance(by: .milliseconds(1000))
            #expect(try await Self.processes(daemon).map(\.state) == ["running"])
        }
    }

    // spec: PC-21
    @Test("PC-21: a program and its connections outlive the daemon") func aProgramOutlivesTheDaemon() async throws {
        let services = try ServiceFolder()
        try services.add()
        let bundles = try TestBundles()
        try await withRestartingDaemon(bundles: bundles, services.arguments) { manager in
            let notes = try await HostApplication.connect(name: "notes", to: manager.address)
            let gone = try await HostApplication.connect(name: "gone", to: manager.address)
            let connection = try await notes.connect(toService: Self.name)
            let lost = try await gone.connect(toService: Self.name)
            func pids() async throws -> [Int] {
                let control = try await DaemonControl.connect(name: "test", to: manager.address)
                return try await control.processes().filter { $0.kind == "service" }.map(\.pid)
            }
            let pid = try await connection.call(Echo(text: "1")).number
            let running = try await pids()
            for number in 2...4 {
                manager.kill()
                if number == 3 { gone.crash() }
                try await eventually { manager.starts == number }
                let echo = try await connection.call(Echo(text: "\(number)"), .init(isRepeatable: true))
                #expect(echo.text == "\(number)" && echo.number == pid)
            }
            // A new client gets the program that was there.
            let later = try await notes.connect(toService: Self.name)
            #expect(try await later.call(Echo(text: "later")).number == pid)
            #expect(try await pids() == running && running.count == 1)
            withExtendedLifetime((lost, notes)) {}
        }
    }
}
