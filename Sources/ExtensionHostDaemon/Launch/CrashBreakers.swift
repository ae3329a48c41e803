// CrashBreakers: the pauses of the extensions that have failed.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry

/// The pauses of the breakers that the model opens and closes (`CrashBreaker`).
///
/// This class tells the model when a pause is over. It needs no timer, because a pause matters to the next launch only.
@HostActor
final class CrashBreakers {
    private let context: DaemonContext
    /// The ends of the pauses, on the daemon's clock.
    private var pauses: [Program.Name: UInt64] = [:]

    init(_ context: DaemonContext) { self.context = context }

    private var book: BreakerBook { context.driver.breakers }

    func opened(_ name: Program.Name, for pause: UInt64) {
        let (end, overflow) = context.clock.now.addingReportingOverflow(pause)
        pauses[name] = overflow ? .max : end
    }

    func closed(_ name: Program.Name) { pauses[name] = nil }

    /// Tells the model of a pause that is over.
    func passTime(of name: Program.Name) {
        guard let end = pauses[name], context.clock.now >= end else { return }
        pauses[name] = nil
        context.driver.post(.breakerPauseOver(name))
    }

    /// Whether an app may be launched. A yes counts as the one try after a pause.
    func admitsLaunch(of name: Program.Name) -> Bool {
        passTime(of: name)
        guard book[name].admits else { return false }
        context.driver.post(.breakerTried(name))
        return true
    }

    /// Returns the seconds until the next try.
    private func delay(of name: Program.Name) -> Double {
        let now = context.clock.now
        guard let end = pauses[name], end > now else { return 0 }
        return Double(end - now) / 1e9
    }

    func error(_ name: Program.Name) -> ExtensionHostError {
        ExtensionHostError(
            .breakerOpen,
            "\(name.identifier) has failed \(book[name].failures) times in a row, and the daemon pauses its launches",
            remedy:
                "Wait \(Int(delay(of: name).rounded(.up))) s, or exthostctl reset \(name.identifier); exthostctl exits shows the failures"
        )
    }

    /// Closes the breakers of an extension by an operator's order.
    ///
    /// - Parameter user: the user whose breakers are reset; nil: all users.
    /// - Returns: whether there was a breaker to reset.
    func reset(_ identifier: String, of user: UInt32?) -> Bool {
        guard !book.names(of: identifier, user: user).isEmpty else { return false }
        context.driver.post(.breakersReset(identifier, user: user))
        return true
    }

    /// Returns the breakers that block the launch of an extension, in the order of their names.
    func open(for scope: AccessScope) -> [BreakerRecord] {
        book.open.filter { scope.includes($0.name.user) }.map { name, breaker in
            BreakerRecord(
                extensionIdentifier: name.identifier, state: breaker.name, failures: breaker.failures,
                delay: delay(of: name))
        }
    }
}
