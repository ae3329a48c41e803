// XcodeTarget: one target of a project: what it makes, of which files, with which settings.

import PropertyListCoding

/// A file of a phase.
struct XcodeFile: Hashable {
    /// Absolute; it may not be there.
    let path: String
    /// Where it lies in the bundle, from its top: `Page.js`, `de.lproj/Localizable.strings`.
    let name: String
}

struct XcodeTarget {
    enum Kind: Hashable {
        case application, appExtension, framework, other

        init(productType: String) {
            // Sticker packs and watch apps have no code that could run here.
            switch productType.hasPrefix("com.apple.product-type.") ? productType.dropFirst(23) : productType[...] {
            case "application", "application.on-demand-install-capable": self = .application
            case "app-extension", "extensionkit-extension", "app-extension.messages", "app-extension.intents-service":
                self = .appExtension
            case "framework", "framework.static", "library.static", "library.dynamic": self = .framework
            default: self = .other
            }
        }
    }

    let identifier: String
    let name: String
    let kind: Kind
    let productType: String
    /// In the phase of sources.
    var sources: [XcodeFile] = []
    var resources: [XcodeFile] = []
    /// Targets of the same project that it is built after, links or holds, by their identifiers.
    var dependencies: [String] = []
    /// Targets of the project whose products are put into this one.
    var embedded: [String] = []
    /// Products of Swift packages that it links.
    var packageProducts: [String] = []
    /// In the configuration that was asked for, with what Xcode itself knows.
    var settings = BuildSettings()
    /// What settings were read from, and what is named and not there.
    var settingFiles: [String] = []
    var missingSettingFiles: [String] = []

    /// A setting with everything put in; what nobody knows is empty, as in Xcode. Nil where there is nothing.
    func value(_ name: String) -> String? {
        guard let text = settings[name] else { return nil }
        let value = settings.expanded(text)
        return value.isEmpty ? nil : value
    }

    func isOn(_ name: String) -> Bool { ["YES", "TRUE", "1"].contains(value(name)?.uppercased() ?? "") }

    var moduleName: String {
        let name = value("PRODUCT_MODULE_NAME") ?? name
        return BuildSettings.spelled(name, with: "_")
    }

    /// The last words of a file in the phase of sources that is no Swift.
    var foreignSources: [XcodeFile] { sources.filter { FileKind($0.path) == .foreign } }
    var swiftSources: [XcodeFile] { sources.filter { FileKind($0.path) == .swift } }

    /// Whether it is built for phones and tablets, or only for a Mac, a watch or a television.
    var isForDevice: Bool {
        let platforms = value("SUPPORTED_PLATFORMS") ?? value("SDKROOT") ?? "iphoneos"
        return platforms == "auto" || platforms.contains("iphone")
    }
}
