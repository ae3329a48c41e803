// LimitSetting: one limit as an option says it: `memory=64MiB`.

import ArgumentParser
import ExtensionPoints

/// One `--limit`.
struct LimitSetting: ExpressibleByArgument {
    let name: ResourceLimits.Name
    let setting: ResourceLimits.Setting

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let name = ResourceLimits.Name(rawValue: String(parts[0])),
            let setting = ResourceLimits.Setting(name, written: String(parts[1]))
        else { return nil }
        self.name = name
        self.setting = setting
    }

    static var allValueStrings: [String] { ResourceLimits.Name.allCases.map { "\($0.rawValue)=VALUE" } }
}
