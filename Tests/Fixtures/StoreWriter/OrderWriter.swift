// OrderWriter: a discovery that is given orders, one after the other, saying each that was answered, and what is
// registered then.

import CCrashVFS
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import Locks

/// `StoreWriter orders STATE APPLICATIONS ELSEWHERE FIRST COUNT [STEP LOSES]`: orders number FIRST to FIRST+COUNT−1,
/// eight in turn, which end as they began. APPLICATIONS has `Flat.app` with `One` and `Two`; ELSEWHERE is an app with
/// `Three`.
final class OrderWriter: Sendable {
    private let wake: WakeDescriptor
    private let registry = Mutex<ExtensionRegistry?>(nil)
    private let answers = Mutex(0)

    private init() throws { wake = try WakeDescriptor() }

    static func run(_ arguments: [String]) throws {
        guard arguments.count >= 5, let first = Int(arguments[3]), let count = Int(arguments[4]) else { exit(64) }
        if arguments.count >= 7, crash_vfs_install(Int(arguments[5]) ?? 0, arguments[6] == "0" ? 0 : 1) != 0 {
            exit(70)
        }
        try OrderWriter().perform(first..<first + count, arguments[0], arguments[1], arguments[2])
        StoreWriter.say("steps \(crash_vfs_steps())")
    }

    private func perform(_ numbers: Range<Int>, _ state: String, _ applications: String, _ elsewhere: String) throws {
        var settings = Discovery.Settings(folders: [applications], state: state)
        // Nothing but the orders writes: so the steps are the same each time.
        settings.waitsToWatch = true
        let discovery = try Discovery(settings) { [self] delivery in
            registry.withLock { $0 = delivery.registry }
            wake.signal()
        }
        wait { registry.withLock { $0 != nil } }
        StoreWriter.say("open")
        for (place, number) in numbers.enumerated() {
            let answer: Discovery.Answer = { [self] result in
                guard case .success = result else { exit(1) }
                answers.withLock { $0 += 1 }
                wake.signal()
            }
            let two = applications + "/Flat.app/PlugIns/Two.appex"
            switch number % 8 {
            case 0: discovery.add(elsewhere, answer: answer)
            case 1: discovery.elect(.ignore, "id.One", answer: answer)
            case 2: discovery.remove(two, answer: answer)
            case 3: discovery.elect(.use, "id.Three", answer: answer)
            case 4: discovery.add(two, answer: answer)
            case 5: discovery.elect(.default, "id.One", answer: answer)
            case 6: discovery.remove(elsewhere, answer: answer)
            default: discovery.elect(.default, "id.Three", answer: answer)
            }
            wait { answers.withLock { $0 > place } }
            // A delivery comes before the answer to the order that caused it.
            let copies = registry.withLock { $0?.copies ?? [] }
            let words = copies.map { "\($0.bundle.identifier)=\($0.uuid)/\($0.registered)" }
            StoreWriter.say("\(number) " + words.joined(separator: " "))
        }
        withExtendedLifetime(discovery) {}
    }

    private func wait(until condition: () -> Bool) {
        while !condition() {
            var entry = pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, -1)
            wake.drain()
        }
    }
}
