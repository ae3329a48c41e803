// LimitReport: a limit that was reached, in words, with what the process was at work on; pure.

import ExtensionPoints
import ExtensionProtocol

struct LimitReport: Sendable {
    let name: ResourceLimits.Name
    let record: LimitRecord
    let work: OpenWork
    /// Whether nobody has set it.
    let isBackstop: Bool

    /// `memory: 67108864 bytes, 67231744 used; request 1B…; loading attachment 0 as public.data`.
    var summary: String {
        let used = name == .cpu ? "\(Double(record.used) / 1000) s" : "\(record.used)"
        return "\(name.rawValue): \(name.written(record.limit)), \(used) used; \(work.summary)"
    }

    /// Of a death by it; nil for one that refuses.
    var cause: Cause? {
        switch name {
        case .memory: .memoryLimit
        case .cpu: .cpuLimit
        case .tasks, .descriptors, .output: nil
        }
    }

    /// For one that ends the process.
    var error: ExtensionHostError {
        let remedy =
            switch (name, isBackstop) {
            case (.memory, true):
                "Load less at once; this is the limit of all extensions for which no other is set. "
                    + "Limits.memory in the configuration, or exthostd --limit memory=SIZE|off, sets another"
            case (.memory, false):
                "Load less at once; ask for files, not for bytes. exthostctl show --point says whose limit it is"
            default: "Do less, or hand the work to a service"
            }
        return ExtensionHostError(.interrupted, "the extension went beyond its limit of \(summary)", remedy: remedy)
    }
}
