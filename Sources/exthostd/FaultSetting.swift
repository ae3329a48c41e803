// FaultSetting: one fault as an option spells it: `kill@loadOpen`.

import ArgumentParser
import ExtensionProtocol

/// The value of one `--fault`.
struct FaultSetting: ExpressibleByArgument {
    let order: FaultOrder

    init?(argument: String) {
        var parts = argument.split(separator: "@", maxSplits: 1).map(String.init)
        // The older spelling: `loadOpen=kill`.
        if parts.count != 2 { parts = argument.split(separator: "=", maxSplits: 1).map(String.init).reversed() }
        guard parts.count == 2, let kind = FaultKind(rawValue: parts[0]), let point = FaultPoint(rawValue: parts[1])
        else { return nil }
        order = FaultOrder(kind, at: point)
    }

    static var allValueStrings: [String] { FaultPoint.allCases.map { "FAULT@\($0.rawValue)" } }
}
