// DeathExplanationTests: what people are told of an end, and whose decision it was.

import ExtensionProtocol
import Glibc
import LinuxSystem
import Testing

@testable import ExtensionHostDaemon

@Suite struct DeathExplanationTests {
    private func explanation(
        isReady: Bool = true, hadRequests: Bool = true,
        _ status: LinuxSystem.ExitStatus = .signalled(11, coreDumped: true)
    ) -> DeathExplanation {
        DeathExplanation(
            identifier: "e", isReady: isReady, hadRequests: hadRequests, status: status, launchLimit: .seconds(5))
    }

    @Test func aCrashIsToldWithItsStageAndItsSignal() {
        #expect(
            explanation().error(Cause.crashed).message.hasSuffix(
                "while the request was open: signal 11 (Segmentation fault), core dumped"))
        #expect(explanation(hadRequests: false).error(Cause.crashed).message.contains("with no request open"))
        let early = explanation(isReady: false, .exited(3)).error(Cause.exitedEarly)
        #expect(early.message.hasSuffix("before it sent hello: exit status 3"))
        #expect(early.remedy?.contains("NSExtensionMain()") == true)
    }

    @Test func aCrashWithoutADescriptorLeftNamesTheLimit() {
        var known = explanation(.signalled(4, coreDumped: false))
        known.spentDescriptors = 40
        let error = known.error(Cause.crashed)
        #expect(error.message.contains("none of its 40 descriptors left: signal 4"))
        #expect(error.remedy?.contains("--limit descriptors=N") == true)
    }

    /// Of those that the daemon decides on without words of its own.
    @Test(arguments: [
        Cause.crashed, .exitedEarly, .launchTimeout, .protocolViolation, .requestTimeout, .expired,
        .terminatedByOperator,
    ])
    func whatCanBeHelpedHasARemedy(_ cause: Cause) {
        #expect(explanation().error(cause).remedy?.isEmpty == false)
    }

    @Test(arguments: [
        (LinuxSystem.ExitStatus.exited(127), "was not found: exit status 127", "ldd"),
        (.exited(126), "cannot be executed: exit status 126", "chmod +x"),
    ])
    func aMissingInterpreterIsToldAsThat(_ status: LinuxSystem.ExitStatus, _ message: String, _ remedy: String) {
        let early = explanation(isReady: false, status).error(.exitedEarly)
        #expect(
            early.code == .launchFailed && early.message.hasSuffix(message) && early.remedy?.contains(remedy) == true)
        #expect(early.remedy?.contains("NSExtensionMain()") == false)
        // Of one that had said hello it is a status like any other.
        #expect(explanation(status).error(.exitedEarly).message.contains("while the request was open"))
    }

    // spec: CL-12
    @Test(
        "CL-12: the loader's message names the missing library, and only with the loader's status",
        arguments: [
            ("app: error while loading shared libraries: libkit.so.1: cannot open shared object file", "libkit.so.1"),
            ("noise\n./a: error while loading shared libraries: libb.so: invalid ELF header\n", "libb.so"),
            ("helper: error while loading shared libraries: liba.so: none\nsh: 1: tool: not found\n", nil),
            ("sh: 1: tool: not found", nil), (": error while loading shared libraries: ", nil), ("", nil),
            (": error while loading shared libraries: \u{1B}[31m", nil),
        ])
    func missingLibrary(_ tail: String, _ name: String?) {
        let error = MissingLibrary.error(.exited(127), Array(tail.utf8))
        #expect(error?.code == (name == nil ? nil : ELIBACC) && error?.call == name.map { "loading \($0)" })
        #expect(MissingLibrary.error(.exited(1), Array(tail.utf8)) == nil)
        guard let error else { return }
        let told = explanation(isReady: false, .notStarted(error)).error(.launchFailed)
        #expect(told.code == .launchFailed && name.map(told.message.contains) == true)
        #expect(told.remedy?.contains("Frameworks") == true)
    }

    @Test(arguments: [(ENOENT, "header is missing"), (ENOEXEC, "first line"), (EACCES, "chmod +x"), (EIO, "by hand")])
    func aProgramThatTheKernelDoesNotExecuteIsToldAsThat(_ code: Int32, _ remedy: String) {
        let status = LinuxSystem.ExitStatus.notStarted(SystemError("execve", code: code))
        let error = explanation(isReady: false, status).error(.launchFailed)
        #expect(error.code == .launchFailed && error.message.contains("cannot be executed: not started: execve"))
        #expect(error.remedy?.contains(remedy) == true)
    }

    @Test func nobodyIsSentToTheLogOfAPrivateDaemon() {
        var known = explanation(isReady: false)
        #expect(known.error(.crashed).remedy?.contains("exthostctl logs e") == true)
        known.hasNoLog = true
        for cause in [Cause.crashed, .exitedEarly] {
            #expect(known.error(cause).remedy?.contains("exthostctl logs") == false)
        }
    }

    @Test func anEndIsDecidedByTheExtensionUntilAnotherActs() {
        var end = ProcessEnd()
        #expect(end.decidedBy == "extension" && end.why == nil)
        end.daemonActs()
        #expect(end.decidedBy == "daemon")
        var ordered = ProcessEnd()
        ordered.decide(by: "operator")
        ordered.daemonActs()
        #expect(ordered.decidedBy == "operator", "it carries out what the operator has decided")
    }

    @Test func theRecordOfAnEndSaysWhatTheKernelSaid() {
        var end = ProcessEnd()
        #expect(end.summary(end.exit(.exitedEarly, didExpire: false)) == "status unknown, decided by extension")
        end.reaped(ProcessEnding(status: .signalled(9, coreDumped: false), peakMemory: 4096))
        end.decide(by: "daemon")
        var exit = end.exit(.memoryLimit, didExpire: true)
        #expect(exit.signal == 9 && exit.status == nil && exit.expired && !end.hasDumped)
        exit.memoryLimit = 2048
        #expect(end.summary(exit) == "signal 9 (Killed), decided by daemon, peak 4096 bytes of 2048")
        let loads = (0..<40).map { LoadRecord(request: RequestIdentifier(), provider: $0, type: "public.data") }
        end.found(OpenWork(requests: loads.map(\.request), loads: loads))
        let record = end.record(exit, of: "e", pid: 1, time: 2)
        #expect(record.requests.count == 40 && record.loads == Array(loads.prefix(16)), "it must fit into a packet")
        let words = end.summary(exit)
        #expect(words.contains("of 2048; request \(loads[0].request), "))
        #expect(
            words.hasSuffix(" and 36 more" + (0..<4).map { "; loading attachment \($0) as public.data" }.joined()),
            "\(words)")
    }
}
