// CaughtSignalsTests: no signal is lost that comes as soon as it is asked for.

import Dispatch
import Glibc
import LinuxSystem
import Testing

/// Signals are the whole process's: nobody else here uses this one.
@Suite(.serialized) struct CaughtSignalsTests {
    @Test func oneThatComesAtOnceIsHeard() throws {
        for _ in 0..<100 {
            let heard = DispatchSemaphore(value: 0)
            let signals = try CaughtSignals([SIGUSR2], queue: DispatchQueue(label: "test")) { heard.signal() }
            #expect(kill(getpid(), SIGUSR2) == 0)
            #expect(heard.wait(timeout: .now() + .seconds(60)) == .success)
            withExtendedLifetime(signals) {}
        }
        signal(SIGUSR2, SIG_DFL)
    }

    @Test func oneThatIsIgnoredStaysSoWhereThatIsWanted() throws {
        signal(SIGUSR2, SIG_IGN)
        defer { signal(SIGUSR2, SIG_DFL) }
        let heard = DispatchSemaphore(value: 0)
        let kept = try CaughtSignals([SIGUSR2], keepsIgnored: true, queue: DispatchQueue(label: "test")) {
            heard.signal()
        }
        #expect(kill(getpid(), SIGUSR2) == 0)
        let taken = try CaughtSignals([SIGUSR2], queue: DispatchQueue(label: "test")) { heard.signal() }
        #expect(kill(getpid(), SIGUSR2) == 0)
        #expect(heard.wait(timeout: .now() + .seconds(60)) == .success)
        #expect(heard.wait(timeout: .now()) == .timedOut)
        withExtendedLifetime((kept, taken)) {}
    }
}
