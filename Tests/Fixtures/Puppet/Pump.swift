// Pump: the puppet's act of loading one attachment again and again, several loads at a time.

import ExtensionFoundation
import Foundation
import Locks

extension Puppet {
    /// The argument is how many loads there are, how many of them are open at once, and, if it says so, after how many
    /// the process stops itself. Answers with how many brought data, how many different data by their first eight
    /// bytes, how much in all, and the codes of those that failed.
    func pump(_ items: [NSExtensionItem], _ context: NSExtensionContext, _ argument: String) {
        let numbers = argument.split(separator: " ").compactMap { Int($0) }
        guard numbers.count >= 2, let provider = items.first?.attachments?.first,
            let type = provider.registeredTypeIdentifiers.first
        else { return context.cancelRequest(withError: CocoaError(.fileNoSuchFile)) }
        Pump(provider, type, context, loads: numbers[0], stop: numbers.count > 2 ? numbers[2] : nil).start(numbers[1])
    }
}

private final class Pump: Sendable {
    private struct State: Sendable {
        var toStart: Int
        var open = 0
        var good = 0
        var bytes = 0
        var seen: Set<UInt64> = []
        var failed: [Int] = []
    }

    private let provider: NSItemProvider
    private let type: String
    private let context: NSExtensionContext
    private let stop: Int?
    private let state: Mutex<State>

    init(_ provider: NSItemProvider, _ type: String, _ context: NSExtensionContext, loads: Int, stop: Int?) {
        (self.provider, self.type, self.context, self.stop) = (provider, type, context, stop)
        state = Mutex(State(toStart: loads))
    }

    func start(_ count: Int) { for _ in 0..<count { next() } }

    private func next() {
        let isOne = state.withLock { state in
            guard state.toStart > 0 else { return false }
            state.toStart -= 1
            state.open += 1
            return true
        }
        guard isOne else { return }
        provider.loadDataRepresentation(forTypeIdentifier: type) { [self] data, error in
            let number = data?.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let (isStop, end): (Bool, State?) = state.withLock { state in
                state.open -= 1
                if let data, let number {
                    state.good += 1
                    state.bytes += data.count
                    state.seen.insert(number)
                } else {
                    state.failed.append((error as NSError?)?.code ?? 0)
                }
                return (state.good + state.failed.count == stop, state.open == 0 && state.toStart == 0 ? state : nil)
            }
            if isStop { raise(SIGSTOP) }
            guard let end else { return next() }
            context.completeRequest(
                returningItems: [
                    Puppet.item([
                        "loads": end.good, "different": end.seen.count, "bytes": end.bytes, "failed": end.failed,
                        "peak": Puppet.peakMemory,
                    ])
                ])
        }
    }
}

extension Puppet {
    /// The most that this process has had resident, in KiB.
    static var peakMemory: Int {
        (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8))?.split(separator: "\n")
            .first { $0.hasPrefix("VmHWM:") }.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}
