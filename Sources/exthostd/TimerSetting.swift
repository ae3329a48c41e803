// TimerSetting: one timer as an option spells it: `idle=1s`.

import ArgumentParser
import ExtensionPoints
import ExtensionProtocol

/// The value of one `--timer`.
struct TimerSetting: ExpressibleByArgument {
    let name: Timers.Name
    let duration: Duration

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let name = Timers.Name(rawValue: String(parts[0])),
            let duration = Duration(written: String(parts[1]))
        else { return nil }
        self.name = name
        self.duration = duration
    }

    static var allValueStrings: [String] { Timers.Name.allCases.map { "\($0.rawValue)=DURATION" } }
}
