// FaultSetting: one fault as an option says it: `loadOpen=kill`.

import ArgumentParser
import ExtensionProtocol

/// One `--fault`.
struct FaultSetting: ExpressibleByArgument {
    let order: FaultOrder

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let point = FaultPoint(rawValue: String(parts[0])),
            let kind = FaultKind(rawValue: String(parts[1]))
        else { return nil }
        order = FaultOrder(kind, at: point)
    }

    static var allValueStrings: [String] { FaultPoint.allCases.map { "\($0.rawValue)=FAULT" } }
}
