// LimitSetting: one limit as an option says it: `memory=64MiB`.

import ArgumentParser
import ExtensionPoints

/// One `--limit`.
struct LimitSetting: ExpressibleByArgument {
    let name: ResourceLimits.Name
    /// As it was written.
    let text: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let name = ResourceLimits.Name(rawValue: String(parts[0])),
            ResourceLimits.Setting(name, written: String(parts[1])) != nil
        else { return nil }
        self.name = name
        text = String(parts[1])
    }

    static var allValueStrings: [String] { ResourceLimits.Name.allCases.map { "\($0.rawValue)=VALUE" } }
}
