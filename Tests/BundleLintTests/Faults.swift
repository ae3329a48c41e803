// Faults: one bundle for each code that lint has.

import BundleLint
import Glibc
import Testing

/// What makes a faultless app have one fault.
struct Fault: Sendable {
    let code: LintCode
    /// Codes that cannot but come with it.
    let others: Set<LintCode>
    /// The finding's key.
    let key: String?
    let isRelease: Bool
    let change: @Sendable (inout AppDraft) -> Void
    /// What is done to the written app; gets its path.
    let after: @Sendable (String) -> Void

    init(
        _ code: LintCode, key: String? = nil, with others: Set<LintCode> = [], isRelease: Bool = false,
        _ change: @escaping @Sendable (inout AppDraft) -> Void = { _ in }
    ) {
        self.init(code, key, others, isRelease, change, after: { _ in })
    }

    private init(
        _ code: LintCode, _ key: String?, _ others: Set<LintCode>, _ isRelease: Bool,
        _ change: @escaping @Sendable (inout AppDraft) -> Void, after: @escaping @Sendable (String) -> Void
    ) {
        self.code = code
        self.key = key
        self.others = others
        self.isRelease = isRelease
        self.change = change
        self.after = after
    }

    /// The same, with something done to the written app.
    func after(_ after: @escaping @Sendable (String) -> Void) -> Fault {
        Fault(code, key, others, isRelease, change, after: after)
    }
}

extension Fault: CustomTestStringConvertible {
    var testDescription: String { code.rawValue }
}

private let rule = "NSExtension.NSExtensionAttributes.NSExtensionActivationRule"
private let script = "NSExtension.NSExtensionAttributes.NSExtensionJavaScriptPreprocessingFile"
private let bundle = AppDraft.bundle

private func string(_ text: String) -> String { AppDraft.string(text) }

private func predicate(_ text: String) -> String {
    string(text.replacing("&", with: "&amp;").replacing("<", with: "&lt;"))
}

private func attachments(_ condition: String, _ count: String) -> String {
    predicate("SUBQUERY(extensionItems, $i, SUBQUERY($i.attachments, $a, \(condition)).@count == \(count)).@count >= 1")
}

private let pdf = "ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO \"com.adobe.pdf\""

private func counts(_ entries: String) -> String {
    "<dict><key>NSExtensionActivationSupportsText</key><true/>\(entries)</dict>"
}

private func type(_ identifier: String, _ more: String = "<key>UTTypeConformsTo</key><string>public.data</string>")
    -> String
{
    "<dict><key>UTTypeIdentifier</key><string>\(identifier)</string>\(more)</dict>"
}

private func entitlements(_ value: String) -> [UInt8] {
    AppDraft.document("<dict>\n<key>com.apple.security.application-groups</key>\n\(value)\n</dict>")
}

extension Fault {
    static let all = files + identity + programs + links + declarations + rules + typesAndTimers + contents

    private static let files: [Fault] = [
        Fault(.informationMissing).after { unlink("\($0)/\(bundle)Info.plist") },
        Fault(.informationUnreadable) { $0.informationFile = AppDraft.document("<dict><key>a</key></dict>") },
        Fault(.informationTooLarge) { $0.information["Extra"] = string(String(repeating: "x", count: 200_000)) },
        Fault(.informationNotDictionary) { $0.informationFile = AppDraft.document("<array/>") },
        Fault(.wrongValueType, key: script) {
            $0.attributes["NSExtensionJavaScriptPreprocessingFile"] = "<integer>1</integer>"
        },
        Fault(.variableLeft, key: "CFBundleIdentifier") {
            $0.information["CFBundleIdentifier"] = string("$(PRODUCT_BUNDLE_IDENTIFIER)")
        },
        Fault(.appInformation) { $0.appFile = Array("no property list".utf8) },
        Fault(.noExtensions, with: [.extensionOutsidePlugIns]).after { rename("\($0)/PlugIns", "\($0)/Others") },
    ]

    private static let identity: [Fault] = [
        Fault(.identifierMissing, key: "CFBundleIdentifier") { $0.information["CFBundleIdentifier"] = nil },
        Fault(.identifierInvalid, key: "CFBundleIdentifier") {
            $0.information["CFBundleIdentifier"] = string("org.example.app.share it")
        },
        Fault(.identifierPrefix, key: "CFBundleIdentifier") {
            $0.information["CFBundleIdentifier"] = string("org.example.other")
        },
        Fault(.identifierDuplicate, key: "CFBundleIdentifier") {
            $0.files += [
                ("PlugIns/Twin.appex/Info.plist", $0.informationBytes),
                ("PlugIns/Twin.appex/Share", AppDraft.ownHeader),
            ]
        }.after { chmod("\($0)/PlugIns/Twin.appex/Share", 0o755) },
        Fault(.versionMissing, key: "CFBundleVersion") { $0.information["CFBundleVersion"] = nil },
        Fault(.versionMalformed, key: "CFBundleVersion") {
            $0.information["CFBundleVersion"] = string("1.b")
            $0.app["CFBundleVersion"] = string("1.b")
        },
        Fault(.versionMismatch, key: "CFBundleVersion") { $0.information["CFBundleVersion"] = string("2") },
        Fault(.shortVersionMissing, key: "CFBundleShortVersionString") {
            $0.information["CFBundleShortVersionString"] = nil
        },
        Fault(.shortVersionMismatch, key: "CFBundleShortVersionString") {
            $0.information["CFBundleShortVersionString"] = string("1.1")
        },
        Fault(.packageType, key: "CFBundlePackageType") { $0.information["CFBundlePackageType"] = string("APPL") },
        Fault(.displayNameMissing, key: "CFBundleDisplayName") { $0.information["CFBundleDisplayName"] = nil },
    ]

    private static let programs: [Fault] = [
        Fault(.executableMissing, key: "CFBundleExecutable") { $0.information["CFBundleExecutable"] = nil },
        Fault(.executableHasFolders, key: "CFBundleExecutable") {
            $0.information["CFBundleExecutable"] = string("../../Share")
        },
        Fault(.executableFileMissing, key: "CFBundleExecutable") { $0.program = nil },
        Fault(.executableIsLink, key: "CFBundleExecutable", with: [.linkLeadsOut]) { $0.program = nil }
            .after { symlink("/bin/sh", "\($0)/\(bundle)Share") },
        Fault(.executableNotRegular, key: "CFBundleExecutable") { $0.program = nil }
            .after { mkdir("\($0)/\(bundle)Share", 0o755) },
        Fault(.executableNotExecutable, key: "CFBundleExecutable").after { chmod("\($0)/\(bundle)Share", 0o644) },
        Fault(.executableUnknownFormat) { $0.program = Array("MZ".utf8) },
        // ET_REL
        Fault(.executableNotProgram) { $0.program = AppDraft.header(16, 1) },
        // EM_MIPS
        Fault(.executableWrongMachine) { $0.program = AppDraft.header(18, 8) },
        Fault(.executableWrongClass) { $0.program = AppDraft.header(4, AppDraft.ownHeader[4] == 2 ? 1 : 2) },
        Fault(.scriptInterpreterMissing) { $0.program = Array("#!/nonexistent/python3\r\n".utf8) },
    ]

    private static let greeting = "Frameworks/libgreet.so.1"

    private static let links: [Fault] = [
        Fault(.executableDamaged) { $0.program = Array(BuiltFile.program.prefix(200)) },
        Fault(.libraryUnreadable) {
            $0.program = BuiltFile.program
            $0.files.append((greeting, Array(BuiltFile.library.prefix(200))))
        },
        Fault(.staticProgramLoadsSwiftFramework) {
            $0.program = BuiltFile.staticSwiftProgram
            $0.files.append(("Frameworks/Kit.framework/Kit", BuiltFile.swiftLibrary))
        },
        Fault(.frameworkLinkedForOlderSystem, key: "MinimumOSVersion") {
            $0.app["CFBundleExecutable"] = string("Example")
            $0.app["MinimumOSVersion"] = string("7.1")
            $0.files += [("Example", BuiltFile.lostProgram), (greeting, BuiltFile.library)]
        },
        Fault(.libraryNotFound) {
            $0.program = BuiltFile.lostProgram
            $0.files.append((greeting, BuiltFile.library))
        },
        Fault(.libraryWrongMachine) {
            $0.program = BuiltFile.program
            var library = BuiltFile.library
            // EM_MIPS
            if library.count > 18 { library[18] = 8 }
            $0.files.append((greeting, library))
        },
        Fault(.hostOnlyLibrary) { $0.program = BuiltFile.serviceProgram },
        Fault(.unsafeImport) { $0.program = BuiltFile.daemonProgram },
        Fault(.backgroundModes, key: "UIBackgroundModes") {
            $0.information["UIBackgroundModes"] = "<array><string>audio</string><string>voip</string></array>"
        },
        Fault(.captureNotAvailable, key: "NSCameraUsageDescription") {
            $0.information["NSCameraUsageDescription"] = string("For scans")
        },
    ]

    private static let declarations: [Fault] = [
        Fault(.extensionMissing, key: "NSExtension") { $0.declaration = nil },
        Fault(.extensionNotDictionary, key: "NSExtension") {
            $0.declaration = nil
            $0.information["NSExtension"] = string("share")
        },
        Fault(.pointMissing, key: "NSExtension.NSExtensionPointIdentifier") {
            $0.declaration?["NSExtensionPointIdentifier"] = nil
        },
        Fault(.pointUnknown, key: "NSExtension.NSExtensionPointIdentifier") {
            $0.declaration?["NSExtensionPointIdentifier"] = string("com.apple.share-service")
        },
        Fault(.classAndStoryboard, key: "NSExtension.NSExtensionPrincipalClass") {
            $0.declaration?["NSExtensionMainStoryboard"] = string("Main")
        },
        Fault(.classMissing, key: "NSExtension.NSExtensionPrincipalClass") {
            $0.declaration?["NSExtensionPrincipalClass"] = nil
        },
        Fault(.classForm, key: "NSExtension.NSExtensionPrincipalClass") {
            $0.declaration?["NSExtensionPrincipalClass"] = string("Share")
        },
        Fault(.classNotFound, key: "NSExtension.NSExtensionPrincipalClass") {
            $0.program = BuiltFile.swiftProgram
            $0.declaration?["NSExtensionPrincipalClass"] = string("Share.Shore")
        },
        Fault(.textEntryInWidget) {
            $0.program = BuiltFile.textProgram
            $0.declaration?["NSExtensionPointIdentifier"] = string("com.apple.widget-extension")
            $0.rule = nil
        },
        Fault(.storyboardWithoutInterface, key: "NSExtension.NSExtensionMainStoryboard") {
            $0.declaration = AppDraft.Keys(entries: [
                ("NSExtensionPointIdentifier", string("com.apple.usernotifications.service")),
                ("NSExtensionMainStoryboard", string("Main")),
            ])
            $0.rule = nil
        },
        Fault(.unknownKey, key: "NSExtension.Colour") { $0.declaration?["Colour"] = string("red") },
        Fault(.misspeltKey, key: "NSExtension.NSExtensionOverideHostUIAppearance") {
            $0.declaration?["NSExtensionOverideHostUIAppearance"] = "<true/>"
        },
        Fault(.misplacedKey, key: "NSExtension.NSExtensionActivationRule", with: [.ruleMissing]) {
            let rule = $0.rule
            $0.declaration?["NSExtensionActivationRule"] = rule
            $0.rule = nil
        },
    ]

    private static let rules: [Fault] = [
        Fault(.ruleMissing, key: rule) { $0.rule = nil },
        Fault(.ruleUnused, key: rule) {
            $0.declaration?["NSExtensionPointIdentifier"] = string("com.apple.usernotifications.service")
            // A key of another point's system is no fault of its own.
            $0.rule = counts("<key>NSExtensionActivationSupportsReplayKitStreaming</key><true/>")
        },
        Fault(.ruleUnreadable, key: rule) { $0.rule = string("SUBQUERY(extensionItems,\n $i, $i ==") },
        Fault(.misspeltActivationKey, key: rule + ".NSExtensionActivationSupportImagesWithMaxCount") {
            $0.rule = counts("<key>NSExtensionActivationSupportImagesWithMaxCount</key><integer>1</integer>")
        },
        Fault(.actionWithoutRule, key: "NSExtension.NSExtensionFileProviderActions") {
            $0.declaration?["NSExtensionFileProviderActions"] =
                "<array><dict><key>NSExtensionFileProviderActionIdentifier</key><string>a</string>"
                + "<key>NSExtensionFileProviderActionName</key><string>A</string></dict></array>"
        },
        Fault(.pickerWithoutModes, key: "NSExtension.NSExtensionAttributes") {
            $0.declaration?["NSExtensionPointIdentifier"] = string("com.apple.fileprovider-ui")
            $0.rule = nil
        },
        Fault(
            .networkURLInvalid, key: "NSExtension.NSExtensionAttributes.ILMessageFilterExtensionNetworkURL"
        ) {
            $0.declaration?["NSExtensionPointIdentifier"] = string("com.apple.identitylookup.message-filter")
            $0.rule = nil
            $0.declaration?["NSExtensionAttributes"] =
                "<dict><key>ILMessageFilterExtensionNetworkURL</key><string>http://filter.example/</string></dict>"
        },
        Fault(.truePredicate, key: rule) { $0.rule = string("TRUEPREDICATE") },
        Fault(.neverMatches, key: rule) { $0.rule = string("FALSEPREDICATE") },
        Fault(.countsItemsNotAttachments, key: rule, with: [.emptyItemMatches]) {
            $0.rule = predicate(
                "SUBQUERY(extensionItems, $i, SUBQUERY($i.attachments, $a, \(pdf)).@count == $i.attachments.@count).@count == 1"
            )
        },
        Fault(.emptyItemMatches, key: rule) { $0.rule = attachments(pdf, "$i.attachments.@count") },
        Fault(.urlMatchesFiles, key: rule) {
            $0.rule = attachments("ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO \"public.url\"", "1")
        },
        Fault(.missingModifier, key: rule) {
            $0.rule = attachments("$a.registeredTypeIdentifiers UTI-CONFORMS-TO \"com.adobe.pdf\"", "1")
        },
        Fault(.unknownKeyPath, key: rule) { $0.rule = predicate("items.@count == 1") },
        Fault(.unknownType, key: rule) {
            $0.rule = attachments("ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO \"public.imag\"", "1")
        },
        Fault(.lenientNumber, key: rule + ".NSExtensionActivationSupportsImageWithMaxCount") {
            $0.rule = counts("<key>NSExtensionActivationSupportsImageWithMaxCount</key><string>1</string>")
        },
        Fault(.invalidCount, key: rule + ".NSExtensionActivationSupportsImageWithMaxCount") {
            $0.rule = counts("<key>NSExtensionActivationSupportsImageWithMaxCount</key><integer>-1</integer>")
        },
        Fault(.invalidVersion, key: rule + ".NSExtensionActivationDictionaryVersion") {
            $0.rule = counts("<key>NSExtensionActivationDictionaryVersion</key><integer>3</integer>")
        },
        Fault(.unknownActivationKey, key: rule + ".Pictures") {
            $0.rule = counts("<key>Pictures</key><integer>1</integer>")
        },
        Fault(.nothingSupported, key: rule) { $0.rule = "<dict/>" },
        Fault(.strictWithoutVersion2, key: rule + ".NSExtensionActivationUsesStrictMatching") {
            $0.rule = counts("<key>NSExtensionActivationUsesStrictMatching</key><true/>")
        },
        Fault(.contradictoryCounts, key: rule + ".NSExtensionActivationSupportsAttachmentsWithMaxCount") {
            $0.rule =
                "<dict><key>NSExtensionActivationSupportsImageWithMaxCount</key><integer>3</integer>"
                + "<key>NSExtensionActivationSupportsAttachmentsWithMinCount</key><integer>2</integer>"
                + "<key>NSExtensionActivationSupportsAttachmentsWithMaxCount</key><integer>1</integer></dict>"
        },
        Fault(.scriptWithoutWebPage, key: script) {
            $0.attributes["NSExtensionJavaScriptPreprocessingFile"] = string("Page")
            $0.files.append((bundle + "Page.js", []))
        },
        Fault(.scriptNamedWithSuffix, key: script) {
            $0.attributes["NSExtensionJavaScriptPreprocessingFile"] = string("Page.js")
            $0.rule = counts("<key>NSExtensionActivationSupportsWebPageWithMaxCount</key><integer>1</integer>")
            $0.files.append((bundle + "Page.js", []))
        },
        Fault(.scriptMissing, key: script) {
            $0.attributes["NSExtensionJavaScriptPreprocessingFile"] = string("Page")
            $0.rule = counts("<key>NSExtensionActivationSupportsWebPageWithMaxCount</key><integer>1</integer>")
        },
    ]

    private static let typesAndTimers: [Fault] = [
        Fault(.typeDeclarationInvalid, key: "UTExportedTypeDeclarations[0].UTTypeIdentifier") {
            $0.information["UTExportedTypeDeclarations"] = "<array>\(type("org/example"))</array>"
        },
        Fault(.typeDuplicate, key: "UTImportedTypeDeclarations") {
            $0.information["UTExportedTypeDeclarations"] = "<array>\(type("org.example.note"))</array>"
            $0.information["UTImportedTypeDeclarations"] = "<array>\(type("org.example.Note"))</array>"
        },
        Fault(.typeReserved, key: "UTExportedTypeDeclarations") {
            $0.information["UTExportedTypeDeclarations"] = "<array>\(type("public.note"))</array>"
        },
        Fault(.typeWithoutParents, key: "UTExportedTypeDeclarations") {
            $0.information["UTExportedTypeDeclarations"] = "<array>\(type("org.example.note", ""))</array>"
        },
        Fault(.timersNotDictionary, key: "ExtensionHostTimers") { $0.information["ExtensionHostTimers"] = "<array/>" },
        Fault(.timerUnknown, key: "ExtensionHostTimers.lunch") {
            $0.information["ExtensionHostTimers"] = "<dict><key>lunch</key><integer>1</integer></dict>"
        },
        Fault(.timerInvalid, key: "ExtensionHostTimers.launch") {
            $0.information["ExtensionHostTimers"] = "<dict><key>launch</key><string>soon</string></dict>"
        },
        Fault(.timersInRelease, key: "ExtensionHostTimers", isRelease: true) {
            $0.information["ExtensionHostTimers"] = "<dict><key>launch</key><integer>9</integer></dict>"
        },
        Fault(.limitsNotDictionary, key: "ExtensionHostLimits") { $0.information["ExtensionHostLimits"] = "<array/>" },
        Fault(.limitUnknown, key: "ExtensionHostLimits.memorry") {
            $0.information["ExtensionHostLimits"] = "<dict><key>memorry</key><integer>9000000</integer></dict>"
        },
        Fault(.limitInvalid, key: "ExtensionHostLimits.memory") {
            $0.information["ExtensionHostLimits"] = "<dict><key>memory</key><string>much</string></dict>"
        },
        Fault(.limitsInRelease, key: "ExtensionHostLimits", isRelease: true) {
            $0.information["ExtensionHostLimits"] = "<dict><key>tasks</key><integer>9</integer></dict>"
        },
    ]

    private static let contents: [Fault] = [
        Fault(.keyRepeated, key: "NSExtension.NSExtensionPrincipalClass") {
            $0.declaration?.entries.insert(("NSExtensionPrincipalClass", string("Share.Other")), at: 0)
        },
        Fault(.entitlementsUnreadable) { $0.files.append((bundle + "Share.entitlements", Array("groups".utf8))) },
        Fault(.groupsNotList, key: "com.apple.security.application-groups") {
            $0.files.append((bundle + "Share.entitlements", entitlements(string("group.org.example"))))
        },
        Fault(.groupOfAnotherVendor, key: "com.apple.security.application-groups") {
            let groups = "<array><string>group.com.bank.vault</string><string>group.org.example.own</string></array>"
            for place in ["", bundle] { $0.files.append((place + "Entitlements.plist", entitlements(groups))) }
        },
        Fault(.groupWildcard, key: "com.apple.security.application-groups") {
            let groups = "<array><string>group.org.example</string><string>group.org.*</string></array>"
            $0.files.append((bundle + "archived-expanded-entitlements.xcent", entitlements(groups)))
        },
        Fault(.groupInvalid, key: "com.apple.security.application-groups") {
            $0.files.append(
                (bundle + "Share.entitlements", entitlements("<array><string>org/example</string></array>")))
        },
        Fault(.groupWithoutPrefix, key: "com.apple.security.application-groups") {
            $0.files.append(
                (bundle + "Share.entitlements", entitlements("<array><string>TEAM.example</string></array>")))
        },
        Fault(.groupNotHeldByApp, key: "com.apple.security.application-groups") {
            let groups = "<array><string>group.org.example</string></array>"
            $0.files.append((bundle + "Entitlements.plist", entitlements(groups)))
        },
        Fault(.entitlementWithoutEffect, key: "com.apple.security.files.user-selected.read-only") {
            let asked = """
                <?xml version="1.0"?>
                <plist version="1.0"><dict><key>com.apple.security.app-sandbox</key><true/>
                <key>com.apple.security.files.user-selected.read-only</key><true/></dict></plist>
                """
            $0.files.append((bundle + "Share.entitlements", Array(asked.utf8)))
        },
        Fault(.libraryOutsideFrameworks) {
            $0.files += [(bundle + "libshare.so.1", []), (bundle + "Frameworks/libright.so", [])]
        },
        Fault(.extensionOutsidePlugIns) { $0.files.append(("Extensions/Lost.appex/Info.plist", [])) },
        Fault(.worldWritable).after { chmod("\($0)/\(bundle)Info.plist", 0o666) },
        Fault(.setUserProgram).after { chmod("\($0)/\(bundle)Share", 0o4755) },
        Fault(.linkLeadsOut).after { symlink("/etc/passwd", "\($0)/\(bundle)names") },
        Fault(.filesUnread) {
            $0.files.append((bundle + String(repeating: "a/", count: 40) + "deep", []))
        },
    ]
}
