// BundlePart: one folder with an Info.plist, which becomes an app or an extension.

import ExtensionProtocol
import Glibc
import LinuxSystem

struct BundlePart {
    /// Where the program is that the bundle names.
    enum Program: Hashable {
        /// A product of the package, by its name.
        case product(String)
        /// A script that lies in the folder, by its name.
        case script(String)
        /// An app may have none, and then only holds its extensions.
        case none
    }

    let folder: String
    let information: InformationDraft
    /// Nil for a folder that is no target: a script's, or that of an app without a program.
    let target: PackageDescription.Target?
    var settings: BuildSettings
    var program = Program.none

    /// The folder's or the target's.
    let name: String
    /// The bundle's without its ending.
    let bundleName: String
    /// What a project file says of it; nil for a folder of a package or of scripts.
    let origin: PartOrigin?

    var isExtension: Bool { information.isExtension }
    /// Without one in the file it is made of the setting.
    var identifier: String? {
        information.text("CFBundleIdentifier", settings)
            ?? settings[Self.identifierSetting].map { settings.expanded($0) }
    }
    static let identifierSetting = "PRODUCT_BUNDLE_IDENTIFIER"

    /// What follows from names counts least, then `shared`, the package's settings, then those of its own files, then `given`, the command
    /// line's.
    init(
        folder: String, information: InformationDraft, package: PackageDescription?, target: PackageDescription.Target?,
        shared: BuildSettings, given: BuildSettings
    ) throws {
        self.folder = folder
        self.information = information
        self.target = target
        let folderName = folder.split(separator: "/").last.map(String.init) ?? "App"
        let product = target.flatMap { package?.program(of: $0) } ?? folderName
        name = product
        bundleName = product
        origin = nil
        var settings = BuildSettings([
            "TARGET_NAME": target?.name ?? folderName, "PRODUCT_NAME": product, "EXECUTABLE_NAME": product,
            "PRODUCT_MODULE_NAME": target?.moduleName ?? BuildSettings.spelled(product, with: "_"),
            "PRODUCT_BUNDLE_PACKAGE_TYPE": information.isExtension ? "XPC!" : "APPL", "DEVELOPMENT_LANGUAGE": "en",
            // What Xcode's templates begin with.
            "MARKETING_VERSION": "1.0", "CURRENT_PROJECT_VERSION": "1",
        ]).merging(shared)
        for file in Self.files(in: folder, ending: ".xcconfig") {
            settings = settings.merging(try BuildSettings.read(file: "\(folder)/\(file)"))
        }
        self.settings = settings.merging(given)
    }

    /// A part of a project file; `target` stands for it in the generated package.
    init(_ origin: PartOrigin, target: PackageDescription.Target?) {
        folder = origin.folder
        information = origin.information
        self.target = target
        settings = origin.settings
        name = origin.name
        bundleName = origin.bundleName
        self.origin = origin
    }

    /// The name under which the program lies in the bundle: a project's may differ from that of the module.
    func executable(of product: String) -> String {
        origin == nil ? product : information.text("CFBundleExecutable", settings) ?? settings.expanded("$(EXECUTABLE_NAME)")
    }

    /// The names of a folder's files, sorted.
    static func files(in folder: String, ending suffix: String) -> [String] {
        ((try? listDirectory(folder, maximumCount: 10_000)) ?? []).filter { $0.hasSuffix(suffix) }.sorted()
    }

    /// The author's file of entitlements: under the name of Apple's tools, too.
    var entitlements: String? {
        if let origin { return origin.entitlements }
        return
            ([Entitlements.fileName].filter { access("\(folder)/\($0)", F_OK) == 0 }
            + Self.files(in: folder, ending: ".entitlements"))
            .first
            .map { "\(folder)/\($0)" }
    }

    /// Where the sources of the target lie.
    var sources: [String] { (target?.sources ?? []).map { "\(folder)/\($0)" } }
}
