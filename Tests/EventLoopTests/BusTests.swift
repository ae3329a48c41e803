// The bus connection and its objects, seen from other processes on a private bus.

import EventLoop
import Glibc
import LinuxSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct BusTests {
    init() { LoopThread.start() }

    // MARK: The connection

    @Test @HostActor func aBusThatIsNotThereIsAnErrorWithARemedyAndNoTrap() {
        let address = BusAddress.address("unix:path=/nonexistent/bus")
        let error = LoopError.busUnavailable(address, SystemError("sd_bus_open", code: ENOENT))
        #expect(throws: error) { try Bus(address) }
        #expect(error.description.contains("--bus none"))
        #expect(throws: LoopError.self) { try Bus(.address("nonsense")) }
    }

    @Test func withoutAnySessionTheUsersBusGivesENOMEDIUM() async {
        // In a process of its own, whose environment may be changed.
        await #expect(processExitsWith: .exitCode(0)) {
            for name in ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"] { unsetenv(name) }
            exit(
                try EventLoop.shared.run {
                    var code: Int32 = 1
                    do throws(LoopError) {
                        _ = try Bus(.session)
                    } catch {
                        code = error == .busUnavailable(.session, SystemError("sd_bus_open", code: ENOMEDIUM)) ? 0 : 2
                    }
                    EventLoop.shared.stop(exitCode: code)
                })
        }
    }

    @Test @HostActor func onNoBusEverythingIsAcceptedAndNothingSent() throws {
        let bus = try Bus(.none)
        #expect(!bus.isConnected)
        let daemon = FakeDaemon()
        let object = try ManagerObject(on: bus, delegate: daemon)
        _ = try LogControl(on: bus, delegate: daemon)
        bus.requestName(ManagerObject.busName) { _ in Issue.record("nobody can have answered") }
        object.emitHostNotification(.didBecomeActive, sequence: 1, host: "editor")
        object.propertiesChanged([.activeRequests])
        #expect(bus.droppedSignals == 0)
    }

    @Test @HostActor func aNameThatIsTakenOrForbiddenIsReported() async throws {
        let privateBus = try await PrivateBus()
        let first = try await privateBus.connect()
        let second = try Bus(.address(privateBus.address))
        let taken: Result<Void, LoopError> = try await callback {
            second.requestName(ManagerObject.busName, result: $0)
        }
        #expect(throws: LoopError.busNameTaken(ManagerObject.busName)) { try taken.get() }
        let again: Result<Void, LoopError> = try await callback { first.requestName(ManagerObject.busName, result: $0) }
        try again.get()
        let forbidden: Result<Void, LoopError> = try await callback {
            second.requestName("org.exthost.Forbidden", result: $0)
        }
        guard case .failure(.busRefused(_, let error)) = forbidden else {
            Issue.record("the name was granted: \(forbidden)")
            return
        }
        #expect(error.name == "org.freedesktop.DBus.Error.AccessDenied")
    }

    @Test @HostActor func aBusThatDiesIsReportedOnceAndWhatIsEmittedThenIsDropped() async throws {
        let privateBus = try await PrivateBus()
        let reports = Box(0)
        let bus = try await privateBus.connect { reports.value += 1 }
        let daemon = FakeDaemon()
        let object = try ManagerObject(on: bus, delegate: daemon)
        object.emitRequestStarted(request: "r", extension: "e", host: "h")
        privateBus.end()
        object.propertiesChanged([.activeRequests])
        await Iterations.until { reports.value > 0 }
        #expect(!bus.isConnected)
        object.emitRequestStarted(request: "r", extension: "e", host: "h")
        object.propertiesChanged([.activeRequests])
        bus.requestName("org.exthost.Late") { _ in Issue.record("nobody can have answered") }
        await Iterations.pass(5)
        bus.close()
        #expect(reports.value == 1)
    }

    @Test @HostActor func aNameRequestOnADyingBusIsAnsweredWithAnError() async throws {
        let privateBus = try await PrivateBus()
        let bus = try await privateBus.connect()
        privateBus.end()
        let result: Result<Void, LoopError> = try await callback { bus.requestName("org.exthost.Other", result: $0) }
        guard case .failure(.busRefused) = result else {
            Issue.record("answered by a dead bus: \(result)")
            return
        }
    }

    @Test @HostActor func aBusThatStopsReadingNeitherBlocksTheLoopNorFillsItsMemory() async throws {
        let privateBus = try await PrivateBus()
        let bus = try await privateBus.connect()
        let daemon = FakeDaemon()
        let object = try ManagerObject(on: bus, delegate: daemon)
        privateBus.pause()
        // First the socket has to be full, whose buffer sd-bus makes as large as it may (8 MiB).
        let host = String(repeating: "x", count: 4096)
        var number: UInt64 = 0
        while bus.droppedSignals == 0, number < 100_000 {
            object.emitHostNotification(.didBecomeActive, sequence: number, host: host)
            number += 1
            if number % 500 == 0 { await Task.yield() }
        }
        #expect(bus.droppedSignals > 0)
        #expect(bus.isConnected)
        privateBus.end()
        await Iterations.until { !bus.isConnected }
    }

    @Test @HostActor func aConnectionThatCannotBeSetUpAfterAllIsReported() async throws {
        let name = "exthost-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let listener = try Listener(abstractName: name)
        let reports = Box(0)
        let bus = try Bus(.address("unix:abstract=\(name)")) { reports.value += 1 }
        #expect(bus.isConnected)
        // Resets what it has not accepted.
        listener.close()
        await Iterations.until { reports.value > 0 }
        #expect(!bus.isConnected)
    }

    @Test @HostActor func closingReportsNothing() async throws {
        let privateBus = try await PrivateBus()
        let bus = try await privateBus.connect { Issue.record("closed by ourselves") }
        bus.close()
        await Iterations.pass(5)
        #expect(!bus.isConnected)
    }

    // MARK: The manager object

    @Test @HostActor func introspectionShowsTheWholeInterface() async throws {
        let (privateBus, _, daemon, object) = try await serve()
        let text = try await privateBus.busctl(
            "introspect", ManagerObject.busName, ManagerObject.path, ManagerObject.interface)
        let members = text.split(separator: "\n").dropFirst().map {
            $0.split(separator: " ", omittingEmptySubsequences: true).prefix(4).joined(separator: " ")
        }
        #expect(
            members == [
                ".CancelRequest method s -",
                ".ListExtensions method - a(sssss)",
                ".ListHosts method - a(sust)",
                ".ListRequests method - a(ssss)",
                ".SetHostState method ss -",
                ".ActiveRequests property u 3",
                ".Limits property s \"memory=rlimit\"",
                ".RunningExtensions property u 2",
                ".Sandbox property s \"none\"",
                ".TreeKill property s \"cgroup\"",
                ".Version property s \"1.2.3\"",
                ".HostDidBecomeActive signal ts -",
                ".HostDidEnterBackground signal ts -",
                ".HostWillEnterForeground signal ts -",
                ".HostWillResignActive signal ts -",
                ".RequestFinished signal sss -",
                ".RequestStarted signal sss -",
            ])
        let xml = try await privateBus.busctl(
            "introspect", "--xml-interface", ManagerObject.busName, ManagerObject.path)
        #expect(xml.contains("<arg type=\"t\" name=\"sequence\"/>"))
        #expect(xml.contains("<arg type=\"s\" name=\"state\" direction=\"in\"/>"))
        withExtendedLifetime((daemon, object)) {}
    }

    @Test @HostActor func theListsComeAsTheirSignaturesSay() async throws {
        let (privateBus, _, daemon, object) = try await serve()
        func list(_ method: String) async throws -> String {
            try await privateBus.busctl(
                "--json=short", "call", ManagerObject.busName, ManagerObject.path, ManagerObject.interface, method)
        }
        #expect(
            try await list("ListExtensions")
                == #"{"type":"a(sssss)","data":[[["com.example.share","1.0","com.apple.share-services","/apps/Ä.appex","use"]]]}"#
                + "\n")
        #expect(
            try await list("ListRequests")
                == #"{"type":"a(ssss)","data":[[["R-1","com.example.share","editor","active"]]]}"# + "\n")
        #expect(
            try await list("ListHosts")
                == #"{"type":"a(sust)","data":[[["editor",1000,"active",18446744073709551615],["mail",0,"background",7]]]}"#
                + "\n")
        withExtendedLifetime((daemon, object)) {}
    }

    @Test @HostActor func aMethodGetsItsCallersIdentityAndItsErrorReachesTheCallerByName() async throws {
        let (privateBus, _, daemon, object) = try await serve()
        let manager = [ManagerObject.busName, ManagerObject.path, ManagerObject.interface]
        _ = try await privateBus.busctl(
            "call", manager[0], manager[1], manager[2], "SetHostState", "ss", "editor", "background")
        _ = try await privateBus.busctl("call", manager[0], manager[1], manager[2], "CancelRequest", "s", "R-1")
        #expect(daemon.log == ["editor → background by \(getuid())", "cancel R-1 by \(getuid())"])
        await #expect(throws: BusctlError(text: "Call failed: there is no host nobody\n")) {
            try await privateBus.busctl(
                "call", manager[0], manager[1], manager[2], "SetHostState", "ss", "nobody", "active")
        }
        await #expect(throws: BusctlError.self) {
            try await privateBus.busctl("call", manager[0], manager[1], manager[2], "CancelRequest", "u", "1")
        }
        await #expect(throws: BusctlError.self) {
            try await privateBus.busctl("set-property", manager[0], manager[1], manager[2], "Version", "s", "2")
        }
        withExtendedLifetime((daemon, object)) {}
    }

    // spec: P-096
    @Test @HostActor func signalsReachAnIndependentListenerInOrder() async throws {
        let (privateBus, bus, daemon, object) = try await serve()
        let listener = try await privateBus.listener(interface: ManagerObject.interface)
        for (index, notification) in HostSignal.allCases.enumerated() {
            object.emitHostNotification(notification, sequence: UInt64(index), host: "editor")
        }
        object.emitRequestStarted(request: "R-1", extension: "com.example.share", host: "editor")
        object.emitRequestFinished(request: "R-1", outcome: "completed", cause: "completed")
        let text = try await listener.output.read { $0.contains("RequestFinished") && $0.hasSuffix("\n") }
        let expected =
            HostSignal.allCases.enumerated().map { ($1.rawValue, #"{"type":"ts","data":[\#($0),"editor"]}"#) } + [
                ("RequestStarted", #"{"type":"sss","data":["R-1","com.example.share","editor"]}"#),
                ("RequestFinished", #"{"type":"sss","data":["R-1","completed","completed"]}"#),
            ]
        let lines = text.split(separator: "\n")
        #expect(lines.count == expected.count)
        for (line, (member, payload)) in zip(lines, expected) {
            #expect(line.contains(#""member":"\#(member)""#) && line.contains(#""payload":\#(payload)"#))
            #expect(line.contains(#""path":"/org/exthost/ExtensionHost1""#))
        }
        listener.end()
        withExtendedLifetime((bus, daemon)) {}
    }

    @Test @HostActor func changedPropertiesAreAnnouncedOncePerIterationWithTheirValues() async throws {
        let (privateBus, bus, daemon, object) = try await serve()
        let listener = try await privateBus.listener(interface: "org.freedesktop.DBus.Properties")
        object.propertiesChanged([.activeRequests])
        object.propertiesChanged([.runningExtensions, .activeRequests])
        daemon.activeRequests = 9
        await Iterations.pass(2)
        object.propertiesChanged([.limits])
        let text = try await listener.output.read { $0.contains("Limits") && $0.hasSuffix("\n") }
        let lines = text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains(#""ActiveRequests":{"type":"u","data":9}"#) == true)
        #expect(lines.first?.contains(#""RunningExtensions":{"type":"u","data":2}"#) == true)
        listener.end()
        withExtendedLifetime((bus, daemon)) {}
    }

    /// Within an interval changes are gathered; a value that was announced last is no change.
    @Test @HostActor func changesOfManyIterationsAreOneAnnouncementOfTheLastValues() async throws {
        let privateBus = try await PrivateBus()
        let bus = try await privateBus.connect()
        let daemon = FakeDaemon()
        let object = try ManagerObject(on: bus, delegate: daemon, interval: .seconds(1))
        let listener = try await privateBus.listener(interface: "org.freedesktop.DBus.Properties")
        daemon.activeRequests = 1
        object.propertiesChanged([.activeRequests])
        await Iterations.pass(2)
        for number in 2...50 {
            daemon.activeRequests = UInt32(number)
            object.propertiesChanged([.activeRequests])
            await Iterations.pass(1)
        }
        // It is announced with the last of those, or after them.
        _ = try await listener.output.read { $0.contains(#""data":50"#) && $0.hasSuffix("\n") }
        object.propertiesChanged([.activeRequests])
        daemon.limits = "none"
        object.propertiesChanged([.limits])
        let text = try await listener.output.read { $0.contains("Limits") && $0.hasSuffix("\n") }
        #expect(text.split(separator: "\n").count < 25, "\(text)")
        #expect(text.split(separator: "\n").last?.contains("ActiveRequests") == false, "\(text)")
        listener.end()
        withExtendedLifetime((bus, daemon)) {}
    }

    @Test @HostActor func theObjectGoesWithItsOwnerAndADaemonThatIsGoneAnswersWithAnError() async throws {
        let privateBus = try await PrivateBus()
        let bus = try await privateBus.connect()
        var daemon: FakeDaemon? = FakeDaemon()
        var object: ManagerObject? = try ManagerObject(on: bus, delegate: daemon!)
        #expect(object != nil)
        daemon = nil
        func call() async throws -> String {
            try await privateBus.busctl(
                "call", ManagerObject.busName, ManagerObject.path, ManagerObject.interface, "ListHosts")
        }
        await #expect(throws: BusctlError(text: "Call failed: the daemon is stopping\n")) { try await call() }
        object = nil
        await #expect(throws: BusctlError(text: "Call failed: Unknown object '/org/exthost/ExtensionHost1'.\n")) {
            try await call()
        }
    }

    // MARK: Logging

    @Test @HostActor func theLogLevelIsReadAndSetOverTheBusAndAWrongOneIsRefused() async throws {
        let privateBus = try await PrivateBus()
        let bus = try await privateBus.connect()
        let daemon = FakeDaemon()
        let control = try LogControl(on: bus, delegate: daemon)
        func busctl(_ verb: String, _ rest: String...) async throws -> String {
            let arguments = [verb, ManagerObject.busName, LogControl.path, LogControl.interface] + rest
            let result = try await ChildProcess.run(["/usr/bin/busctl", "--address=\(privateBus.address)"] + arguments)
            guard result.status == 0 else { throw BusctlError(text: result.errors) }
            return result.output
        }
        #expect(
            try await busctl("get-property", "LogLevel", "LogTarget", "SyslogIdentifier")
                == "s \"info\"\ns \"console\"\ns \"exthostd\"\n")
        _ = try await busctl("set-property", "LogLevel", "s", "debug")
        _ = try await busctl("set-property", "LogTarget", "s", "journal")
        #expect(daemon.logLevel == "debug")
        #expect(daemon.logTarget == "journal")
        for wrong in [
            ["LogLevel", "s", "loud"], ["LogLevel", "u", "1"], ["SyslogIdentifier", "s", "x"], ["Other", "s", "x"],
        ] {
            await #expect(throws: BusctlError.self) { try await busctl("set-property", wrong[0], wrong[1], wrong[2]) }
        }
        #expect(daemon.logLevel == "debug")
        withExtendedLifetime((bus, control)) {}
    }

    @HostActor private func serve() async throws -> (PrivateBus, Bus, FakeDaemon, ManagerObject) {
        let privateBus = try await PrivateBus()
        let bus = try await privateBus.connect()
        let daemon = FakeDaemon()
        return (privateBus, bus, daemon, try ManagerObject(on: bus, delegate: daemon))
    }
}
