// IdentityLint: the checks of a bundle's identity, alone and against the app around it (spec 3.1).

import ExtensionProtocol
import ExtensionRegistry

/// The app to which an extension is compared.
struct LintedApplication {
    let path: String
    var identifier: String?
    var version: String?
    var shortVersion: String?
}

struct IdentityLint {
    let information: InformationFile

    /// Checks the identity, and returns the identifier if it is valid.
    func check(_ app: LintedApplication?, _ report: inout LintReport) -> String? {
        let identifier = checkIdentifier(app, &report)
        check(
            "CFBundleVersion", against: app?.version, .versionMissing, .versionMismatch, checkingForm: true, &report)
        check(
            "CFBundleShortVersionString", against: app?.shortVersion, .shortVersionMissing, .shortVersionMismatch,
            checkingForm: false, &report)
        let type = information.text("CFBundlePackageType", &report)
        if type.isAbsent || type.value.map({ $0 != "XPC!" }) == true {
            information.report(
                &report, .packageType, "CFBundlePackageType", "CFBundlePackageType is not XPC!",
                remedy: "Write <string>XPC!</string>")
        }
        let display = information.text("CFBundleDisplayName", &report)
        if display.isAbsent, information.text("CFBundleName", &report).isAbsent {
            information.report(
                &report, .displayNameMissing, "CFBundleDisplayName", "there is no display name",
                remedy: "Add CFBundleDisplayName")
        }
        return identifier
    }

    private func checkIdentifier(_ app: LintedApplication?, _ report: inout LintReport) -> String? {
        let key = "CFBundleIdentifier"
        let text = information.text(key, &report)
        guard let identifier = text.value else {
            if text.isAbsent {
                information.report(
                    &report, .identifierMissing, key, "Info.plist has no \(key)",
                    remedy: "Add one that begins with the app's")
            }
            return nil
        }
        guard BundleInformation.isIdentifier(identifier) else {
            information.report(
                &report, .identifierInvalid, key,
                "\(key) must have at most 255 letters, digits, hyphens and dots, and must not begin with a dot",
                remedy: "Rename it")
            return nil
        }
        if let prefix = app?.identifier, !identifier.hasPrefix(prefix + ".") {
            information.report(
                &report, .identifierPrefix, key,
                "\(identifier) does not begin with the identifier of the app around it, \(prefix), and a dot",
                remedy: "Rename it to \(prefix).NAME")
        }
        return identifier
    }

    private func check(
        _ key: String, against theirs: String?, _ missing: LintCode, _ mismatch: LintCode, checkingForm: Bool,
        _ report: inout LintReport
    ) {
        let text = information.text(key, &report)
        guard let own = text.value else {
            if text.isAbsent {
                information.report(
                    &report, missing, key, "Info.plist has no \(key)", remedy: "Add the app's value")
            }
            return
        }
        if checkingForm, !BundleVersion(own).isWellFormed {
            information.report(
                &report, .versionMalformed, key,
                "\(key) “\(own.cut(toBytes: 64))” does not consist of numbers with dots between them",
                remedy: "Write, for example, 1.2.3")
        }
        guard let theirs, own != theirs else { return }
        information.report(
            &report, mismatch, key,
            "\(key) \(own.cut(toBytes: 64)) differs from that of the app around it, \(theirs.cut(toBytes: 64))",
            remedy: "Give both the same value; a store refuses different ones")
    }
}
