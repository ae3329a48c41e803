// LimitLint: the checks of the limits that a bundle in development sets for itself.

import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import PropertyListCoding

extension TypeLint {
    /// Checks `ExtensionHostLimits`, which bundles in development have.
    func checkLimits(isRelease: Bool, _ report: inout LintReport) {
        let key = DevelopmentLimits.key
        guard let value = information.dictionary[key] else { return }
        if isRelease {
            information.report(
                &report, .limitsInRelease, key, "\(key) has no effect in an installed bundle",
                remedy: "Remove it for the release"
            )
        }
        guard let settings = value.dictionary else {
            information.report(
                &report, .limitsNotDictionary, key, "\(key) is no dictionary", remedy: "Write it as <dict>…</dict>")
            return
        }
        for (text, setting) in settings {
            guard let name = ResourceLimits.Name(rawValue: text) else {
                let isLeftOut = ResourceLimits.notSimulated.contains(text)
                information.report(
                    &report, .limitUnknown, "\(key).\(text)",
                    isLeftOut ? "a limit of \(text) is not simulated" : "there is no limit “\(text.cut(toBytes: 64))”",
                    remedy: "Choose among \(ResourceLimits.Name.allCases.map(\.rawValue).joined(separator: ", "))")
                continue
            }
            if ResourceLimits.Setting(name, setting: setting) == nil {
                information.report(
                    &report, .limitInvalid, "\(key).\(text)", "the value of the limit \(text) is invalid",
                    remedy: "Write \(name.form)")
            }
        }
    }
}
