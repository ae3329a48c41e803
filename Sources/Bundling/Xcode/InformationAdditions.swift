// InformationAdditions: the keys of an Info.plist that Xcode derives from build settings.

import PropertyListCoding

extension InformationDraft {
    /// A key at the top, for a file that has none of that name.
    typealias Addition = (key: String, value: PropertyList)

    /// Returns the keys that every file gets.
    ///
    /// With `GENERATE_INFOPLIST_FILE` each `INFOPLIST_KEY_NAME` is added under its name ("Build settings reference").
    static func additions(_ settings: BuildSettings, generates: Bool, for kind: XcodeTarget.Kind) -> [Addition] {
        var additions: [Addition] = [
            ("CFBundleIdentifier", "$(PRODUCT_BUNDLE_IDENTIFIER)"), ("CFBundleExecutable", "$(EXECUTABLE_NAME)"),
            ("CFBundleName", "$(PRODUCT_NAME)"), ("CFBundleShortVersionString", "$(MARKETING_VERSION)"),
            ("CFBundleVersion", "$(CURRENT_PROJECT_VERSION)"), ("CFBundleDevelopmentRegion", "$(DEVELOPMENT_LANGUAGE)"),
        ]
        guard generates else { return additions }
        let prefix = "INFOPLIST_KEY_"
        for (name, value) in settings.values.sorted(by: { $0.key < $1.key })
        where name.hasPrefix(prefix) && !value.isEmpty {
            let key = String(name.dropFirst(prefix.count))
            // Values for one device only, and lists, are never read here.
            guard !key.contains("_"), !key.hasSuffix("Orientations") else { continue }
            switch value.uppercased() {
            case "YES": additions.append((key, true))
            case "NO": additions.append((key, false))
            default: additions.append((key, .string(value)))
            }
        }
        return additions
    }
}

extension BundlePart {
    /// Returns the keys that are added to the bundle's file if the author's has none.
    ///
    /// An extension without versions gets those of its app, because they must agree.
    func additions(app: BundlePart) -> [InformationDraft.Addition] {
        var additions: [InformationDraft.Addition] = [
            ("CFBundlePackageType", .string(information.packageType)), ("CFBundleName", .string(name)),
        ]
        if case .product(let product) = program {
            additions.append(("CFBundleExecutable", .string(executable(of: product))))
        }
        if settings[Self.identifierSetting] != nil {
            additions.append(("CFBundleIdentifier", "$(PRODUCT_BUNDLE_IDENTIFIER)"))
        }
        if isExtension {
            for (key, setting) in [
                ("CFBundleShortVersionString", "MARKETING_VERSION"), ("CFBundleVersion", "CURRENT_PROJECT_VERSION"),
            ] {
                additions.append((key, .string(app.information.text(key, app.settings) ?? "$(\(setting))")))
            }
        } else {
            additions += [
                ("CFBundleShortVersionString", "$(MARKETING_VERSION)"),
                ("CFBundleVersion", "$(CURRENT_PROJECT_VERSION)"),
            ]
        }
        guard let origin else { return additions }
        let known = Set(additions.map(\.key))
        return additions.filter { $0.key != "CFBundleName" && ($0.key != "CFBundleExecutable" || program != .none) }
            + origin.additions.filter { addition in
                let isProgramless = addition.key == "CFBundleExecutable" && program == .none
                return (!known.contains(addition.key) || addition.key == "CFBundleName") && !isProgramless
            }
    }

    /// The class by which the runtime here finds it, if the file has another form: without its module, or its
    /// Objective-C name.
    var principalClass: String? {
        guard let text = information.dictionary["NSExtension"]?.dictionary?["NSExtensionPrincipalClass"]?.string else {
            return nil
        }
        let named = settings.expanded(text)
        let classes = origin?.classes ?? ownClasses
        if let exact = classes[named] { return exact == named ? nil : exact }
        // The form is `Other.Name`, with another module name than the real one.
        let parts = named.split(separator: ".").map(String.init)
        guard parts.count == 2, !classes.values.contains(named), let found = classes[parts[1]] else { return nil }
        return found == named ? nil : found
    }

    private var ownClasses: [String: String] {
        guard let target else { return [:] }
        return ModuleOutline(sources, module: target.moduleName, flags: [], hasModule: { _ in true }).classes
    }
}
