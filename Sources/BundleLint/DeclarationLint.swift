// DeclarationLint: the checks of the dictionary NSExtension: point, class, keys (spec 3.1).

import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import PropertyListCoding

struct DeclarationLint {
    static let key = "NSExtension"
    static let attributesKey = "NSExtension.NSExtensionAttributes"

    let information: InformationFile
    let points: PointTable
    /// Whether the extension needs a class: a script does not, because it contains its own entry point.
    let needsClass: Bool

    /// Returns the declaration in the dictionary and its point; nil if there is no dictionary.
    func check(_ report: inout LintReport) -> (declaration: ExtensionDeclaration, point: ExtensionPoint?)? {
        guard let value = information.dictionary[Self.key] else {
            information.report(
                &report, .extensionMissing, Self.key, "Info.plist has no NSExtension dictionary",
                remedy: "Add one with NSExtensionPointIdentifier and NSExtensionPrincipalClass")
            return nil
        }
        guard let dictionary = value.dictionary else {
            information.report(
                &report, .extensionNotDictionary, Self.key, "NSExtension is no dictionary",
                remedy: "Write it as <dict>…</dict>")
            return nil
        }
        var faults: [DeclarationFault] = []
        let declaration = ExtensionDeclaration(dictionary, faults: &faults)
        for fault in faults {
            information.report(&report, .wrongValueType, fault.key, fault.message, remedy: fault.remedy)
        }
        let point = checkPoint(dictionary, &report)
        checkClass(dictionary, point, &report)
        checkKeys(dictionary, &report)
        return (declaration, point)
    }

    private func checkPoint(_ dictionary: PropertyListDictionary, _ report: inout LintReport) -> ExtensionPoint? {
        let key = "NSExtensionPointIdentifier"
        let path = "\(Self.key).\(key)"
        guard let value = dictionary[key] else {
            information.report(
                &report, .pointMissing, path, "NSExtension has no \(key)",
                remedy: "Name the extension point, such as com.apple.share-services")
            return nil
        }
        // A value of another type was reported before.
        guard value.string != nil,
            let identifier = information.text(key, in: dictionary, path: path, &report).value
        else { return nil }
        if let point = points[declared: identifier] { return point }
        let near = points.points.map(\.identifier).first { areNear($0, identifier) }
        information.report(
            &report, .pointUnknown, path, "there is no extension point “\(identifier.cut(toBytes: 128))”",
            remedy: near.map { "Is \($0) meant?" }
                ?? "Choose one of exthostctl show --point, or declare it in a property list")
        return nil
    }

    private func checkClass(_ dictionary: PropertyListDictionary, _ point: ExtensionPoint?, _ report: inout LintReport)
    {
        let (classKey, storyboardKey) = ("NSExtensionPrincipalClass", "NSExtensionMainStoryboard")
        let classPath = "\(Self.key).\(classKey)"
        let (named, storyboard) = (dictionary[classKey], dictionary[storyboardKey])
        if named != nil, storyboard != nil {
            information.report(
                &report, .classAndStoryboard, classPath,
                "\(classKey) and \(storyboardKey) exclude each other; the class takes precedence",
                remedy: "Remove one")
        } else if named == nil, storyboard == nil, needsClass {
            information.report(
                &report, .classMissing, classPath, "there is neither \(classKey) nor \(storyboardKey)",
                remedy: "Name the class that conforms to NSExtensionRequestHandling, as Module.Class")
        }
        if storyboard != nil, let point, !point.hasInterface {
            information.report(
                &report, .storyboardWithoutInterface, "\(Self.key).\(storyboardKey)",
                "\(point.identifier) shows no interface, but there is a \(storyboardKey)",
                remedy: "Write \(classKey) instead")
        }
        guard named?.string != nil,
            case .text(let name) = information.text(classKey, in: dictionary, path: classPath, &report)
        else { return }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard
            parts.count < 2
                || !parts.allSatisfy({ $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && !$0.isEmpty })
        else { return }
        information.report(
            &report, .classForm, classPath, "“\(name.cut(toBytes: 64))” does not have the form Module.Class",
            remedy: "Write the module's name, a dot and the class's name; only a class with @objc(Name) needs no module"
        )
    }

    private func checkKeys(_ dictionary: PropertyListDictionary, _ report: inout LintReport) {
        for key in dictionary.keys where !Self.keys.contains(key) {
            if Self.attributes.contains(key) {
                misplaced(key, "\(Self.key).\(key)", "NSExtensionAttributes", &report)
            } else if !misspelt(key, "\(Self.key).\(key)", Self.keys, &report) {
                information.report(
                    &report, .unknownKey, "\(Self.key).\(key)",
                    "NSExtension has the unknown key “\(key.cut(toBytes: 64))”",
                    remedy: "Remove it; the extension's own keys go to the top level or into NSExtensionAttributes")
            }
        }
        // A point may have attributes of its own, so an unknown one is no fault in itself.
        for key in dictionary["NSExtensionAttributes"]?.dictionary?.keys ?? [] where !Self.attributes.contains(key) {
            if Self.keys.contains(key) {
                misplaced(key, "\(Self.attributesKey).\(key)", "NSExtension", &report)
            } else {
                _ = misspelt(key, "\(Self.attributesKey).\(key)", Self.attributes, &report)
            }
        }
    }

    private func misplaced(_ key: String, _ path: String, _ place: String, _ report: inout LintReport) {
        information.report(
            &report, .misplacedKey, path, "\(key) has no effect here", remedy: "Move it into the dictionary \(place)")
    }

    private func misspelt(_ key: String, _ path: String, _ known: [String], _ report: inout LintReport) -> Bool {
        guard let near = known.first(where: { areNear($0, key) }) else { return false }
        information.report(
            &report, .misspeltKey, path, "there is no key “\(key.cut(toBytes: 64))”", remedy: "Write \(near)")
        return true
    }

    /// The keys directly under `NSExtension`.
    static let keys = [
        "NSExtensionPointIdentifier", "NSExtensionPrincipalClass", "NSExtensionMainStoryboard", "NSExtensionAttributes",
        "NSExtensionActionWantsFullScreenPresentation", "NSExtensionOverridesHostUIAppearance",
        "NSExtensionFileProviderDocumentGroup", "NSExtensionFileProviderActions",
        "NSExtensionFileProviderSupportsEnumeration", "RPBroadcastProcessMode",
    ]

    /// The keys under `NSExtensionAttributes`.
    static let attributes = [
        "NSExtensionActivationRule", "NSExtensionJavaScriptPreprocessingFile", "NSExtensionServiceRoleType",
        "NSExtensionServiceAllowsFinderPreviewItem", "NSExtensionServiceAllowsTouchBarItem",
        "NSExtensionServiceAllowsToolbarItem", "NSExtensionServiceToolbarIconFile",
        "NSExtensionServiceToolbarPaletteLabel", "IntentsSupported", "IntentsRestrictedWhileLocked",
        "PHSupportedMediaTypes", "PHProjectExtensionDefinesProjectTypes", "IsASCIICapable", "PrefersRightToLeft",
        "PrimaryLanguage", "RequestsOpenAccess", "UIDocumentPickerModes", "UIDocumentPickerSupportedFileTypes",
        "CSSupportedContentTypes", "CSSupportedFileTypes", "QLSupportedContentTypes", "QLThumbnailMinimumDimension",
        "UNNotificationExtensionCategory", "UNNotificationExtensionDefaultContentHidden",
        "UNNotificationExtensionInitialContentSizeRatio", "UNNotificationExtensionOverridesDefaultTitle",
        "UNNotificationExtensionUserInteractionEnabled", "AudioComponents", "WKAppBundleIdentifier",
        "ILMessageFilterExtensionNetworkURL", "ILClassificationExtensionNetworkReportDestination",
        "ILClassificationExtensionSMSReportDestination", "RPBroadcastProcessMode",
    ]
}
