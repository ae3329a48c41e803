// ExtensionDeclaration: the typed declaration under NSExtension in an extension's Info.plist (spec 3.1).

public import PropertyListCoding

/// The keys under `NSExtension`. A value of another type becomes a problem and counts as absent.
public struct ExtensionDeclaration: Sendable, Hashable {
    /// An entry of `NSExtensionFileProviderActions`. One without a rule is not shown.
    public struct FileProviderAction: Sendable, Hashable {
        public var identifier: String
        public var name: String
        /// A predicate over `fileproviderItems`.
        public var activationRule: String?
    }

    /// `NSExtensionServiceRoleType`.
    public enum ServiceRole: String, Sendable, Hashable, CaseIterable {
        case editor = "NSExtensionServiceRoleTypeEditor"
        case viewer = "NSExtensionServiceRoleTypeViewer"
    }

    /// An entry of `PHSupportedMediaTypes`.
    public enum MediaType: String, Sendable, Hashable, CaseIterable {
        case image = "Image"
        case video = "Video"
        case livePhoto = "LivePhoto"
    }

    /// An entry of `UIDocumentPickerModes`.
    public enum DocumentPickerMode: String, Sendable, Hashable, CaseIterable {
        case `import` = "UIDocumentPickerModeImport"
        case open = "UIDocumentPickerModeOpen"
        case exportToService = "UIDocumentPickerModeExportToService"
        case moveToService = "UIDocumentPickerModeMoveToService"
    }

    /// The attributes of a keyboard extension.
    public struct Keyboard: Sendable, Hashable {
        public var isASCIICapable = false
        public var prefersRightToLeft = false
        public var primaryLanguage = "en-US"
        public var requestsOpenAccess = false
    }

    // Keys directly under NSExtension.
    public var point: String?
    public var principalClass: String?
    public var mainStoryboard: String?
    public var wantsFullScreenPresentation = false
    public var overridesHostUIAppearance = false
    public var fileProviderDocumentGroup: String?
    public var fileProviderActions: [FileProviderAction] = []

    // Keys under NSExtensionAttributes.
    /// The unchanged rule: a dictionary or a predicate (spec 3.2, 3.3).
    public var activationRule: PropertyList?
    /// The script's name without `.js`.
    public var javaScriptPreprocessingFile: String?
    public var serviceRole: ServiceRole?
    public var serviceAllowsFinderPreviewItem = false
    public var serviceAllowsTouchBarItem = false
    public var serviceAllowsToolbarItem = false
    public var serviceToolbarIconFile: String?
    public var serviceToolbarPaletteLabel: String?
    public var intentsSupported: [String] = []
    public var intentsRestrictedWhileLocked: [String] = []
    /// The media types; images if the key is absent.
    public var supportedMediaTypes: [MediaType] = [.image]
    public var definesProjectTypes = false
    public var keyboard = Keyboard()
    public var documentPickerModes: [DocumentPickerMode] = []
    public var documentPickerSupportedFileTypes: [String] = []
    /// The types that a Spotlight import extension reads: `CSSupportedContentTypes` of Xcode's template, and the older
    /// `CSSupportedFileTypes`.
    public var spotlightFileTypes: [String] = []
    /// `QLSupportedContentTypes`: the types that a preview or thumbnail extension shows.
    public var quickLookContentTypes: [String] = []
    public var thumbnailMinimumDimension: Double = 0
    /// The strings under `UNNotificationExtensionCategory`, which holds one or several.
    public var notificationCategories: [String] = []
    public var notificationDefaultContentHidden = false
    public var notificationInitialContentSizeRatio: Double?
    public var audioComponents: [PropertyListDictionary] = []
    public var watchAppBundleIdentifier: String?

    public init() {}

    /// Reads the dictionary under `NSExtension`; adds each fault to `problems`, in one line.
    public init(_ dictionary: PropertyListDictionary, problems: inout [String]) {
        var faults: [DeclarationFault] = []
        self.init(dictionary, faults: &faults)
        problems += faults.map(\.text)
    }

    /// Reads the dictionary under `NSExtension`; adds each fault to `faults`.
    public init(_ dictionary: PropertyListDictionary, faults: inout [DeclarationFault]) {
        var keys = DeclarationKeys(dictionary, under: "NSExtension", at: "NSExtension")
        point = keys.text("NSExtensionPointIdentifier")
        principalClass = keys.text("NSExtensionPrincipalClass")
        mainStoryboard = keys.text("NSExtensionMainStoryboard")
        wantsFullScreenPresentation = keys.flag("NSExtensionActionWantsFullScreenPresentation")
        overridesHostUIAppearance = keys.flag("NSExtensionOverridesHostUIAppearance")
        fileProviderDocumentGroup = keys.text("NSExtensionFileProviderDocumentGroup")
        fileProviderActions = keys.dictionaries("NSExtensionFileProviderActions").compactMap { entry in
            let path = "NSExtension.NSExtensionFileProviderActions"
            var inner = DeclarationKeys(entry, under: "NSExtensionFileProviderActions", at: path)
            defer { keys.faults += inner.faults }
            guard let identifier = inner.text("NSExtensionFileProviderActionIdentifier"),
                let name = inner.text("NSExtensionFileProviderActionName")
            else {
                inner.faults.append(
                    DeclarationFault(
                        path,
                        "an entry of NSExtensionFileProviderActions lacks its NSExtensionFileProviderActionIdentifier or …Name",
                        remedy: "Add both"))
                return nil
            }
            return FileProviderAction(
                identifier: identifier, name: name,
                activationRule: inner.text("NSExtensionFileProviderActionActivationRule", limit: Self.ruleLimit))
        }
        var attributes = DeclarationKeys(
            keys.dictionary("NSExtensionAttributes") ?? [:], under: "NSExtensionAttributes",
            at: "NSExtension.NSExtensionAttributes")
        readAttributes(&attributes)
        faults += keys.faults + attributes.faults
    }

    /// The maximum size of a predicate in bytes, which the rule's own limit permits (spec 3.3).
    static let ruleLimit = 64 * 1024

    private mutating func readAttributes(_ keys: inout DeclarationKeys) {
        activationRule = keys.rule("NSExtensionActivationRule")
        javaScriptPreprocessingFile = keys.text("NSExtensionJavaScriptPreprocessingFile")
        serviceRole = keys.choice("NSExtensionServiceRoleType")
        serviceAllowsFinderPreviewItem = keys.flag("NSExtensionServiceAllowsFinderPreviewItem")
        serviceAllowsTouchBarItem = keys.flag("NSExtensionServiceAllowsTouchBarItem")
        serviceAllowsToolbarItem = keys.flag("NSExtensionServiceAllowsToolbarItem")
        serviceToolbarIconFile = keys.text("NSExtensionServiceToolbarIconFile")
        serviceToolbarPaletteLabel = keys.text("NSExtensionServiceToolbarPaletteLabel")
        intentsSupported = keys.texts("IntentsSupported")
        intentsRestrictedWhileLocked = keys.texts("IntentsRestrictedWhileLocked")
        supportedMediaTypes = keys.choices("PHSupportedMediaTypes") ?? [.image]
        definesProjectTypes = keys.flag("PHProjectExtensionDefinesProjectTypes")
        keyboard.isASCIICapable = keys.flag("IsASCIICapable")
        keyboard.prefersRightToLeft = keys.flag("PrefersRightToLeft")
        keyboard.primaryLanguage = keys.text("PrimaryLanguage") ?? "en-US"
        keyboard.requestsOpenAccess = keys.flag("RequestsOpenAccess")
        documentPickerModes = keys.choices("UIDocumentPickerModes") ?? []
        documentPickerSupportedFileTypes = keys.texts("UIDocumentPickerSupportedFileTypes")
        spotlightFileTypes = keys.texts("CSSupportedContentTypes") + keys.texts("CSSupportedFileTypes")
        quickLookContentTypes = keys.texts("QLSupportedContentTypes")
        thumbnailMinimumDimension = keys.number("QLThumbnailMinimumDimension") ?? 0
        notificationCategories = keys.textOrTexts("UNNotificationExtensionCategory")
        notificationDefaultContentHidden = keys.flag("UNNotificationExtensionDefaultContentHidden")
        notificationInitialContentSizeRatio = keys.number("UNNotificationExtensionInitialContentSizeRatio")
        audioComponents = keys.dictionaries("AudioComponents")
        watchAppBundleIdentifier = keys.text("WKAppBundleIdentifier")
    }
}
