// CrashBreakers: the extensions that have failed, and whether they are launched again.

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry

/// One breaker (`CrashBreaker`) for each extension that has failed and answered nothing since.
@HostActor
final class CrashBreakers {
    private let context: DaemonContext
    private let inventory: Inventory
    private var breakers: [BreakerName: CrashBreaker] = [:]
    /// The bundles of strangers must not fill the memory.
    private static let breakersKept = 1024

    init(_ context: DaemonContext, _ inventory: Inventory) {
        self.context = context
        self.inventory = inventory
    }

    /// Of the system's daemon each user has breakers of its own: nobody keeps an extension from others.
    private struct BreakerName: Hashable {
        let identifier: String
        let user: UInt32?
    }

    private func name(_ bundle: ExtensionBundle, _ user: UInt32?) -> BreakerName {
        BreakerName(identifier: bundle.identifier, user: user)
    }

    func mayLaunch(_ bundle: ExtensionBundle, of user: UInt32?) -> Bool {
        breakers[name(bundle, user)]?.mayLaunch(at: context.clock.now) ?? true
    }

    /// Whether it has failed so often that nothing is launched, or one launch is being tried; asking changes nothing.
    func isBroken(_ bundle: ExtensionBundle, of user: UInt32?) -> Bool {
        breakers[name(bundle, user)].map { $0.state != .closed } ?? false
    }

    func error(_ bundle: ExtensionBundle, of user: UInt32?) -> ExtensionHostError {
        let breaker = breakers[name(bundle, user)]
        let delay = breaker?.delay(at: context.clock.now) ?? 0
        return ExtensionHostError(
            .breakerOpen,
            "\(bundle.identifier) has failed \(breaker?.failures ?? 0) times in a row and is not launched for a while",
            remedy:
                "Wait \(Int(delay.rounded(.up))) s, or exthostctl reset \(bundle.identifier); exthostctl exits shows the failures"
        )
    }

    /// It has answered a request.
    func answered(_ bundle: ExtensionBundle, of user: UInt32?) {
        guard var breaker = breakers.removeValue(forKey: name(bundle, user)), breaker.close() else { return }
        context.driver.tell(.breakerClosed(extension: bundle.identifier, of: user, detail: nil))
    }

    /// One of its processes is no more, or did not come to be.
    func ended(_ bundle: ExtensionBundle, of user: UInt32?, _ cause: Cause, isFailure: Bool) {
        guard let limit = context.settings.breakerLimit else { return }
        let name = name(bundle, user)
        guard isFailure else {
            breakers[name]?.ended()
            return
        }
        if breakers[name] == nil, breakers.count >= Self.breakersKept { return }
        var breaker = breakers[name] ?? CrashBreaker(limit: limit)
        let hasOpened = breaker.failed(at: context.clock.now)
        breakers[name] = breaker
        guard hasOpened else { return }
        let detail = "\(breaker.failures) failures in a row, next try in \(breaker.delay(at: context.clock.now)) s"
        context.driver.tell(.breakerOpened(extension: bundle.identifier, of: user, cause, detail: detail))
    }

    /// An operator's word. False when there was nothing to reset.
    ///
    /// - Parameter user: whose; nil: everybody's.
    func reset(_ identifier: String, of user: UInt32?) -> Bool {
        let names = breakers.keys.filter { $0.identifier == identifier && (user == nil || $0.user == user) }
        for name in names {
            guard var breaker = breakers.removeValue(forKey: name), breaker.close() else { continue }
            context.driver.tell(.breakerClosed(extension: identifier, of: name.user, detail: "reset"))
        }
        return !names.isEmpty
    }

    /// The breakers that keep an extension from being launched, in the order of their names.
    func open(for reach: Reach) -> [BreakerRecord] {
        let now = context.clock.now
        return breakers.filter { $0.value.state != .closed && reach.includes($0.key.user) }
            .sorted { ($0.key.identifier, $0.key.user ?? 0) < ($1.key.identifier, $1.key.user ?? 0) }.map {
                BreakerRecord(
                    extensionIdentifier: $0.key.identifier, state: $0.value.name, failures: $0.value.failures,
                    delay: $0.value.delay(at: now))
            }
    }
}

extension CrashBreakers: EventObserver {
    func happened(_ event: LifecycleEvent) {
        guard case .process(let number, .answered) = event, let process = inventory.processes[number] else { return }
        answered(process.bundle, of: process.user)
    }
}
