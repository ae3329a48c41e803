// ExtensionDeclaration: every key of spec 3.1 read as its type, and refused by name and remedy when it is of another
// one.

import ExtensionRegistry
import PropertyListCoding
import Testing

@Suite struct DeclarationTests {
    private static let whole: PropertyListDictionary = [
        "NSExtensionPointIdentifier": "com.apple.share-services", "NSExtensionPrincipalClass": "A.B",
        "NSExtensionMainStoryboard": "Main", "NSExtensionActionWantsFullScreenPresentation": true,
        "NSExtensionOverridesHostUIAppearance": 1, "NSExtensionFileProviderDocumentGroup": "group.a",
        "NSExtensionFileProviderActions": [
            [
                "NSExtensionFileProviderActionIdentifier": "id", "NSExtensionFileProviderActionName": "name",
                "NSExtensionFileProviderActionActivationRule": "TRUEPREDICATE",
            ], ["NSExtensionFileProviderActionIdentifier": "two", "NSExtensionFileProviderActionName": "name"],
        ],
        "NSExtensionAttributes": .dictionary(attributes),
    ]
    private static let attributes: PropertyListDictionary = [
        "NSExtensionActivationRule": ["NSExtensionActivationSupportsText": true],
        "NSExtensionJavaScriptPreprocessingFile": "Page",
        "NSExtensionServiceRoleType": "NSExtensionServiceRoleTypeViewer",
        "NSExtensionServiceAllowsFinderPreviewItem": true, "NSExtensionServiceAllowsTouchBarItem": "YES",
        "NSExtensionServiceAllowsToolbarItem": "NO", "NSExtensionServiceToolbarIconFile": "icon",
        "NSExtensionServiceToolbarPaletteLabel": "label", "IntentsSupported": ["INSendMessageIntent"],
        "IntentsRestrictedWhileLocked": ["INSendMessageIntent"], "PHSupportedMediaTypes": ["Video", "LivePhoto"],
        "PHProjectExtensionDefinesProjectTypes": true, "IsASCIICapable": true, "PrefersRightToLeft": true,
        "PrimaryLanguage": "he",
        "RequestsOpenAccess": true, "UIDocumentPickerModes": ["UIDocumentPickerModeOpen"],
        "UIDocumentPickerSupportedFileTypes": ["public.image"], "CSSupportedFileTypes": ["public.data"],
        "QLSupportedContentTypes": ["public.text"], "QLThumbnailMinimumDimension": 16,
        "UNNotificationExtensionCategory": "one", "UNNotificationExtensionDefaultContentHidden": true,
        "UNNotificationExtensionInitialContentSizeRatio": 0.5, "AudioComponents": [["type": "aufx"]],
        "WKAppBundleIdentifier": "w",
    ]

    // spec: P-175
    @Test func everyKeyIsReadAsItsType() {
        var problems: [String] = []
        let declaration = ExtensionDeclaration(Self.whole, problems: &problems)
        #expect(problems == [])
        #expect(declaration.point == "com.apple.share-services" && declaration.principalClass == "A.B")
        #expect(declaration.mainStoryboard == "Main" && declaration.wantsFullScreenPresentation)
        #expect(declaration.overridesHostUIAppearance && declaration.fileProviderDocumentGroup == "group.a")
        #expect(declaration.fileProviderActions.map(\.identifier) == ["id", "two"])
        #expect(declaration.fileProviderActions.map(\.activationRule) == ["TRUEPREDICATE", nil])
        #expect(declaration.activationRule == ["NSExtensionActivationSupportsText": true])
        #expect(declaration.javaScriptPreprocessingFile == "Page" && declaration.serviceRole == .viewer)
        #expect(declaration.serviceAllowsFinderPreviewItem && declaration.serviceAllowsTouchBarItem)
        #expect(!declaration.serviceAllowsToolbarItem && declaration.serviceToolbarIconFile == "icon")
        #expect(
            declaration.serviceToolbarPaletteLabel == "label" && declaration.intentsSupported == ["INSendMessageIntent"]
        )
        #expect(declaration.intentsRestrictedWhileLocked == ["INSendMessageIntent"])
        #expect(declaration.supportedMediaTypes == [.video, .livePhoto] && declaration.definesProjectTypes)
        let keyboard = declaration.keyboard
        #expect(keyboard.isASCIICapable && keyboard.prefersRightToLeft && keyboard.requestsOpenAccess)
        #expect(keyboard.primaryLanguage == "he" && declaration.documentPickerModes == [.open])
        #expect(
            declaration.documentPickerSupportedFileTypes == ["public.image"]
                && declaration.spotlightFileTypes == ["public.data"])
        #expect(declaration.quickLookContentTypes == ["public.text"] && declaration.thumbnailMinimumDimension == 16)
        #expect(declaration.notificationCategories == ["one"] && declaration.notificationDefaultContentHidden)
        #expect(declaration.notificationInitialContentSizeRatio == 0.5 && declaration.audioComponents.count == 1)
        #expect(declaration.watchAppBundleIdentifier == "w")
    }

    // spec: P-176
    @Test func whatIsAbsentHasItsDefault() {
        var problems: [String] = []
        let declaration = ExtensionDeclaration([:], problems: &problems)
        #expect(declaration == ExtensionDeclaration() && problems == [])
        #expect(declaration.supportedMediaTypes == [.image] && declaration.keyboard.primaryLanguage == "en-US")
        #expect(!declaration.keyboard.requestsOpenAccess)
    }

    private static let keys = whole.keys.map { ("", $0) } + attributes.keys.map { ("NSExtensionAttributes", $0) }

    @Test(arguments: keys)
    func aValueOfAnotherTypeIsNamedWithItsRemedyAndTakenAsAbsent(_ place: String, _ key: String) {
        // No key takes a date.
        var whole = Self.whole
        if place.isEmpty {
            whole[key] = .date(0)
        } else {
            var attributes = Self.attributes
            attributes[key] = .date(0)
            whole[place] = .dictionary(attributes)
        }
        var problems: [String] = []
        let declaration = ExtensionDeclaration(whole, problems: &problems)
        #expect(problems.count == 1)
        #expect(
            problems.first?.hasPrefix("\(key) in NSExtension") == true
                && problems.first?.contains("Write it as") == true)
        #expect(declaration.principalClass == "A.B" || key == "NSExtensionPrincipalClass")
    }

    @Test func listsAreBoundedAndSeveralCategoriesAreRead() {
        var problems: [String] = []
        let many = PropertyList.array(Array(repeating: "x", count: 1025))
        let declaration = ExtensionDeclaration(
            [
                "NSExtensionAttributes": [
                    "IntentsSupported": many, "UNNotificationExtensionCategory": ["a", "b"],
                    "NSExtensionActivationRule": .string(String(repeating: "x", count: 64 * 1024 + 1)),
                ], "NSExtensionFileProviderActions": [["NSExtensionFileProviderActionName": "nameless"]],
            ], problems: &problems)
        #expect(declaration.intentsSupported == [] && declaration.notificationCategories == ["a", "b"])
        #expect(declaration.activationRule == nil && declaration.fileProviderActions == [])
        #expect(problems.count == 3 && problems.contains { $0.contains("Add both") })
    }
}
