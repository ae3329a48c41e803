// ExtensionProcess+Limits: what a process does when it reaches a limit, and what its certificate says of it.

import EventLog
import EventLoop
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry

extension ProcessStateMachine {
    /// Whether the process may be at work for somebody: then its limits are looked at.
    var isServing: Bool {
        switch state {
        case .ready, .idle, .suspended, .killing, .exited: false
        default: true
        }
    }
}

extension ExtensionProcess {
    /// Puts it into the log; before a kill, when there is one.
    func tell(_ record: LimitRecord, _ name: ResourceLimits.Name, isFatal: Bool) {
        let open = openRequests
        engine.log.append(
            .limitReached, request: open.first, extensionIdentifier: bundle.identifier,
            host: open.first.flatMap { requests[$0]?.hostName }, pid: pid, cause: isFatal ? name.cause : nil,
            detail: describe(record, name))
    }

    /// Ends the process for memory or processor time.
    func exceeded(_ record: LimitRecord, _ name: ResourceLimits.Name) {
        guard let cause = name.cause else { return }
        kill(
            cause, by: "daemon",
            why: ExtensionHostError(
                .interrupted, "the extension went beyond its limit of \(describe(record, name))", remedy: name.remedy))
    }

    /// `memory: 67108864 bytes, 67231744 used; requests 1B…; loading attachment 0 as public.data`: sizes and types, never contents.
    private func describe(_ record: LimitRecord, _ name: ResourceLimits.Name) -> String {
        var text = "\(name.rawValue): \(name.written(record.limit)), \(record.used) used"
        if name == .cpu {
            text = "cpu: \(name.written(record.limit)), \(Double(record.used) / 1000) s used"
        }
        let open = openRequests
        if open.isEmpty {
            text += "; no request open"
        } else {
            text += "; request " + open.prefix(4).map(\.description).joined(separator: ", ")
            if open.count > 4 { text += " and \(open.count - 4) more" }
        }
        let loads = engine.broker.openLoads(of: Set(open))
        for load in loads.prefix(4) {
            text += "; loading attachment \(load.provider) as \(load.type)"
        }
        return text
    }

    private var openRequests: [RequestIdentifier] {
        requestsInOrder.filter(\.machine.isOpen).map(\.identifier)
    }
}

extension ResourceLimits.Name {
    /// The cause of a death by it; nil for one that refuses.
    fileprivate var cause: Cause? {
        switch self {
        case .memory: .memoryLimit
        case .cpu: .cpuLimit
        case .tasks, .descriptors, .output: nil
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .memory: "Load less at once; ask for files, not for bytes. exthostctl show --point says whose limit it is"
        default: "Do less, or hand the work to a service"
        }
    }
}
