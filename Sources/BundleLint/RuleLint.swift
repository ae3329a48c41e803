// RuleLint: the checks of the activation rule, of the script that needs one, and of file provider actions (spec 3.2,
// 3.3).

import ActivationRules
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import PropertyListCoding

struct RuleLint {
    private static let key = "\(DeclarationLint.attributesKey).NSExtensionActivationRule"
    private static let scriptKey = "\(DeclarationLint.attributesKey).NSExtensionJavaScriptPreprocessingFile"
    private static let actionsKey = "\(DeclarationLint.key).NSExtensionFileProviderActions"

    private static let pickerPoint = "com.apple.fileprovider-ui"
    private static let filterPoint = "com.apple.identitylookup.message-filter"
    private static let networkURLKey = "ILMessageFilterExtensionNetworkURL"
    private static let reportPoint = "com.apple.identitylookup.classification-ui"
    private static let reportKey = "ILClassificationExtensionNetworkReportDestination"

    let bundle: String
    let layout: BundleLayout
    let information: InformationFile

    func check(_ declaration: ExtensionDeclaration, _ point: ExtensionPoint?, _ report: inout LintReport) {
        var rule: ActivationRule?
        if let written = declaration.activationRule {
            if let point, !point.takesActivationRules {
                // The rule may have keys of the system's own, as in Xcode's template of a broadcast's setup.
                information.report(
                    &report, .ruleUnused, Self.key,
                    "\(point.identifier) takes no activation rules: the daemon ignores this one",
                    remedy: "Remove it")
                rule = try? ActivationRule(written)
            } else {
                rule = check(written, Self.key, .extensionItems, &report)
            }
        } else if let point, point.takesActivationRules, isRuleAbsent {
            information.report(
                &report, .ruleMissing, Self.key,
                "\(point.identifier) needs an NSExtensionActivationRule: without one, the daemon never offers the extension",
                remedy: "Add one under NSExtensionAttributes; docs/activation-rules.md has examples")
        }
        if let script = declaration.javaScriptPreprocessingFile { checkScript(script, rule, &report) }
        if point?.identifier == Self.pickerPoint, declaration.documentPickerModes.isEmpty {
            information.report(
                &report, .pickerWithoutModes, DeclarationLint.attributesKey,
                "a document picker without UIDocumentPickerModes offers no mode, so nobody can use it",
                remedy: "Add UIDocumentPickerModes, an array with UIDocumentPickerModeImport or other modes")
        }
        if point?.identifier == Self.filterPoint { checkServer(Self.networkURLKey, &report) }
        if point?.identifier == Self.reportPoint { checkServer(Self.reportKey, &report) }
        for action in declaration.fileProviderActions {
            guard let text = action.activationRule else {
                information.report(
                    &report, .actionWithoutRule, Self.actionsKey,
                    "the action \(action.identifier.cut(toBytes: 64)) has no rule, so it never appears",
                    remedy: "Add NSExtensionFileProviderActionActivationRule, a predicate over fileproviderItems")
                continue
            }
            _ = check(.string(text), Self.actionsKey, .fileproviderItems, &report)
        }
    }

    /// Checks the address of the server of a message filter or of reports. An extension may have none.
    private func checkServer(_ key: String, _ report: inout LintReport) {
        let attributes = information.dictionary["NSExtension"]?.dictionary?["NSExtensionAttributes"]?.dictionary
        guard let value = attributes?[key] else { return }
        let (address, scheme) = (value.string ?? "", "https://")
        let hasHost = address.dropFirst(scheme.count).first.map { !"/?#:".contains($0) } ?? false
        guard !address.lowercased().hasPrefix(scheme) || !hasHost else { return }
        information.report(
            &report, .networkURLInvalid, "\(DeclarationLint.attributesKey).\(key)",
            key == Self.networkURLKey
                ? "\(key) is no URL of https, so each deferred question fails with invalidNetworkURL"
                : "\(key) is no URL of https, so no report arrives",
            remedy: "Write it as https://example.org/path")
    }

    /// Whether the rule is absent. A rule of the wrong type is not absent, and was reported.
    private var isRuleAbsent: Bool {
        information.dictionary["NSExtension"]?.dictionary?["NSExtensionAttributes"]?.dictionary?[
            "NSExtensionActivationRule"]
            == nil
    }

    private func check(
        _ written: PropertyList, _ key: String, _ vocabulary: RuleVocabulary, _ report: inout LintReport
    ) -> ActivationRule? {
        let rule: ActivationRule
        do {
            rule = try ActivationRule(written)
        } catch {
            report.add(
                .ruleUnreadable, information.path, key: key, line: information.line(key, text: error.line),
                "the predicate's line \(error.line), column \(error.column): \(error.message). "
                    + (vocabulary == .extensionItems
                        ? "The daemon never offers the extension" : "The action never appears"),
                remedy: error.hint)
            return nil
        }
        for warning in rule.warnings(for: vocabulary) {
            let path = warning.key.map { "\(key).\($0)" } ?? key
            var (code, remedy) = (LintCode(warning.code), warning.remedy)
            if code == .unknownActivationKey, let written = warning.key,
                let near = ActivationKey.all.first(where: { areNear($0, written) })
            {
                (code, remedy) = (.misspeltActivationKey, "Write \(near)")
            }
            let line = warning.line.flatMap { information.line(key, text: $0) } ?? information.line(path)
            report.add(
                code, information.path, key: path, line: line, warning.message, remedy: remedy,
                severity: warning.severity == .error ? .error : .warning)
        }
        return rule
    }

    private func checkScript(_ name: String, _ rule: ActivationRule?, _ report: inout LintReport) {
        if let rule, !rule.asksForWebPage {
            information.report(
                &report, .scriptWithoutWebPage, Self.scriptKey,
                "the rule accepts no web page: only a browser that runs the script anyway sends its results",
                remedy: "To accept pages, add NSExtensionActivationSupportsWebPageWithMaxCount to the rule")
        }
        var file = name
        if name.hasSuffix(".js") {
            information.report(
                &report, .scriptNamedWithSuffix, Self.scriptKey, "the name of the script must not have the suffix .js",
                remedy: "Write <string>\(name.dropLast(3).description.cut(toBytes: 64))</string>")
        } else {
            file += ".js"
        }
        let folder = layout.hasContents ? "Contents/Resources/" : ""
        let isThere = (try? facts(of: openBeneath(bundle, folder + file)).isRegularFile) ?? false
        guard !isThere else { return }
        information.report(
            &report, .scriptMissing, Self.scriptKey, "the bundle has no script \(file.cut(toBytes: 64))",
            remedy: "Put it into \(bundle)/\(folder)")
    }
}
