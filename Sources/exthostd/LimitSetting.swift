// LimitSetting: one limit as an option spells it: `memory=64MiB`.

import ArgumentParser
import ExtensionPoints

/// The value of one `--limit`.
struct LimitSetting {
    let name: ResourceLimits.Name
    /// The amount as the user wrote it.
    let text: String

    init(written: String) throws(ValidationError) {
        let parts = written.split(separator: "=", maxSplits: 1).map(String.init)
        if let first = parts.first, ResourceLimits.notSimulated.contains(first) {
            throw ValidationError("A limit of \(first) is not simulated: docs/not-simulated.md lists the alternatives.")
        }
        guard parts.count == 2, let name = ResourceLimits.Name(rawValue: parts[0]),
            ResourceLimits.Setting(name, written: parts[1]) != nil
        else {
            let all = ResourceLimits.Name.allCases.map { "\($0.rawValue)=VALUE" }.joined(separator: ", ")
            throw ValidationError("“\(written)” is not a limit. There are: \(all).")
        }
        self.name = name
        text = parts[1]
    }
}
