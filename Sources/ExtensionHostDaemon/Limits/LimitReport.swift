// LimitReport: the text about a reached limit, with the work that the process was doing; pure.

import ExtensionPoints
import ExtensionProtocol

struct LimitReport: Sendable {
    let name: ResourceLimits.Name
    let record: LimitRecord
    let work: OpenWork
    /// Whether the limit is a backstop, because no setting has set it.
    let isBackstop: Bool

    /// The text for the log: `memory: 67108864 bytes, 67231744 used; request 1B…; loading attachment 0 as public.data`.
    var summary: String {
        let used = name == .cpu ? "\(Double(record.used) / 1000) s" : "\(record.used)"
        return "\(name.rawValue): \(name.written(record.limit)), \(used) used; \(work.summary)"
    }

    /// The cause of a death by the limit; nil for a limit that only refuses.
    var cause: Cause? {
        switch name {
        case .memory: .memoryLimit
        case .cpu: .cpuLimit
        case .tasks, .descriptors, .output: nil
        }
    }

    /// The error for a limit that ends the process.
    var error: ExtensionHostError {
        let remedy =
            switch (name, isBackstop) {
            case (.memory, true):
                "Load less at once; this limit applies to all extensions without another one. "
                    + "Limits.memory in the configuration, or exthostd --limit memory=SIZE|off, sets another"
            case (.memory, false):
                "Load less at once; request files, not bytes. exthostctl show --point shows the origin of the limit"
            default: "Do less, or move the work to a service"
            }
        return ExtensionHostError(.interrupted, "the extension exceeded its limit of \(summary)", remedy: remedy)
    }
}
