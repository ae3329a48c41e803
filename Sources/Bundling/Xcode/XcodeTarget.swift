// XcodeTarget: one target of a project: its product, its files and its settings.

import PropertyListCoding

/// A file of a phase.
struct XcodeFile: Hashable {
    /// The absolute path; the file may not exist.
    let path: String
    /// The path in the bundle, from its top: `Page.js`, `de.lproj/Localizable.strings`.
    let name: String
}

struct XcodeTarget {
    enum Kind: Hashable {
        case application, appExtension, framework, other

        init(productType: String) {
            // Sticker packs and watch apps have no code that could run here.
            switch productType.hasPrefix("com.apple.product-type.") ? productType.dropFirst(23) : productType[...] {
            case "application", "application.on-demand-install-capable", "application.messages": self = .application
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
    /// The files in the phase of sources.
    var sources: [XcodeFile] = []
    var resources: [XcodeFile] = []
    /// The headers of a framework.
    var headers: [XcodeFile] = []
    /// The definitions of intents from which the target generates classes.
    var definitions: [XcodeFile] = []
    /// The identifiers of targets of the same project that it is built after, links or embeds.
    var dependencies: [String] = []
    /// The targets of the project whose products are embedded in this one.
    var embedded: [String] = []
    /// The products of Swift packages that it links.
    var packageProducts: [String] = []
    /// The settings in the requested configuration, with those that Xcode itself provides.
    var settings = BuildSettings()
    /// The files that settings were read from. `missingSettingFiles` are the named files that do not exist.
    var settingFiles: [String] = []
    var missingSettingFiles: [String] = []

    /// Returns a setting, fully expanded; unknown references are empty, as in Xcode. Nil if the value is empty.
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

    /// The files in the phase of sources that are in C, C++, Objective-C or assembler.
    var foreignSources: [XcodeFile] { sources.filter { FileKind($0.path) == .foreign } }
    /// The paths of the Core ML models in the phase of sources.
    var models: [String] {
        sources.map(\.path).filter { path in
            [TargetModels.ending, TargetModels.packageEnding].contains { path.lowercased().hasSuffix($0) }
        }
    }
    var swiftSources: [XcodeFile] { sources.filter { FileKind($0.path) == .swift } }

    /// Whether it is an app only for its iMessage extension, without a program.
    var isMessagesContainer: Bool { productType == "com.apple.product-type.application.messages" }
    /// Whether it is an extension of stickers, without a program.
    var isStickerPack: Bool { productType == "com.apple.product-type.app-extension.messages-sticker-pack" }

    /// Whether it is built for phones and tablets, and not only for a Mac, a watch or a television.
    var isForDevice: Bool {
        let platforms = value("SUPPORTED_PLATFORMS") ?? value("SDKROOT") ?? "iphoneos"
        return platforms == "auto" || platforms.contains("iphone")
    }
}
