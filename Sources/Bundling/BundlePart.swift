// BundlePart: one folder with an Info.plist, which becomes an app, an extension or a framework.

import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding

struct BundlePart {
    /// The source of the program that the bundle names.
    enum Program: Hashable {
        /// A product of the package, by its name; of a framework, its dynamic library.
        case product(String)
        /// A script that lies in the folder, by its name.
        case script(String)
        /// No program: an app may only contain its extensions.
        case none
    }

    let folder: String
    let information: InformationDraft
    /// The target; nil for the folder of a script, or of an app without a program.
    let target: PackageDescription.Target?
    var settings: BuildSettings
    var program = Program.none

    /// The name of the folder or of the target.
    let name: String
    /// The name of the bundle without its extension.
    let bundleName: String
    /// The data from a project file; nil for a folder of a package or of scripts.
    let origin: PartOrigin?

    var isExtension: Bool { information.isExtension }
    var isFramework: Bool { information.isFramework }
    var isApp: Bool { !isExtension && !isFramework }
    /// The place of the bundle in its app.
    var placeInApp: String { isExtension ? "PlugIns/\(bundleName).appex" : "Frameworks/\(bundleName).framework" }
    /// The name of a built product's file.
    func file(of product: String) -> String { isFramework ? "lib\(product).so" : product }
    /// The identifier in the file, or else the expanded setting.
    var identifier: String? {
        information.text("CFBundleIdentifier", settings)
            ?? settings[Self.identifierSetting].map { settings.expanded($0) }
    }
    static let identifierSetting = "PRODUCT_BUNDLE_IDENTIFIER"

    /// Creates a part of a package or of scripts.
    ///
    /// Settings take precedence in this order, lowest first: those that follow from names, `shared` (the package's),
    /// those of the folder's files, and `given` (the command line's).
    init(
        folder: String, information: InformationDraft, package: PackageDescription?, target: PackageDescription.Target?,
        shared: BuildSettings, given: BuildSettings
    ) throws {
        self.folder = folder
        self.information = information
        self.target = target
        let folderName = folder.split(separator: "/").last.map(String.init) ?? "App"
        let built = target.flatMap { information.isFramework ? package?.library(of: $0) : package?.program(of: $0) }
        let product = built ?? folderName
        name = product
        bundleName = product
        origin = nil
        var settings = BuildSettings([
            "TARGET_NAME": target?.name ?? folderName, "PRODUCT_NAME": product, "EXECUTABLE_NAME": product,
            "PRODUCT_MODULE_NAME": target?.moduleName ?? BuildSettings.spelled(product, with: "_"),
            "PRODUCT_BUNDLE_PACKAGE_TYPE": information.packageType, "DEVELOPMENT_LANGUAGE": "en",
            // Xcode's templates begin with these versions.
            "MARKETING_VERSION": "1.0", "CURRENT_PROJECT_VERSION": "1",
        ]).merging(shared)
        for file in Self.files(in: folder, ending: ".xcconfig") {
            settings = settings.merging(try BuildSettings.read(file: "\(folder)/\(file)"))
        }
        self.settings = settings.merging(given)
    }

    /// Creates a part of a project file; `target` represents it in the generated package.
    init(_ origin: PartOrigin, target: PackageDescription.Target?) {
        folder = origin.folder
        information = origin.information
        self.target = target
        settings = origin.settings
        name = origin.name
        bundleName = origin.bundleName
        self.origin = origin
    }

    /// Returns the program's name in the bundle, which in a project may differ from the module's name.
    func executable(of product: String) -> String {
        origin == nil
            ? product : information.text("CFBundleExecutable", settings) ?? settings.expanded("$(EXECUTABLE_NAME)")
    }

    /// Returns the names of a folder's files, sorted.
    static func files(in folder: String, ending suffix: String) -> [String] {
        ((try? listDirectory(folder, maximumCount: 10_000)) ?? []).filter { $0.hasSuffix(suffix) }.sorted()
    }

    /// The names, without ending, of the interfaces that an extension begins with: of its storyboard, and of its class.
    var principalInterfaces: Set<String> {
        guard isExtension else { return [] }
        let declaration = information.dictionary["NSExtension"]?.dictionary
        let storyboard = declaration?["NSExtensionMainStoryboard"]?.string.map { settings.expanded($0) }
        let principal = declaration?["NSExtensionPrincipalClass"]?.string.flatMap {
            settings.expanded($0).split(separator: ".").last.map(String.init)
        }
        return Set([storyboard, principal].compactMap { $0 })
    }

    /// The author's file of entitlements, also under the name that Apple's tools use.
    var entitlements: String? {
        if let origin { return origin.entitlements }
        return
            ([Entitlements.fileName].filter { access("\(folder)/\($0)", F_OK) == 0 }
            + Self.files(in: folder, ending: ".entitlements"))
            .first
            .map { "\(folder)/\($0)" }
    }

    /// The paths of the target's sources.
    var sources: [String] { (target?.sources ?? []).map { "\(folder)/\($0)" } }
}
