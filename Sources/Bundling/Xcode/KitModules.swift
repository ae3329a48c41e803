// KitModules: the modules available on Linux: the toolchain's, and those of exthost and its packages of facades.

import Foundation
import Glibc
import LinuxSystem

/// The folder of exthost, with the modules that its packages offer.
public struct KitModules: Sendable {
    /// A product of a package.
    struct Product: Sendable, Hashable {
        let name: String
        /// The folder of the package.
        let package: String
    }

    /// The absolute path of the folder.
    public let folder: String
    /// The products by module: a product has the name of its module.
    private(set) var products: [String: Product]

    /// The module, and product, of background sessions.
    static let transfers = "BackgroundTransfers"
    /// The module, and product, of the keychain.
    static let keychain = "Security"
    /// The modules that come with Swift on Linux.
    static let toolchain: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking",
        "FoundationXML",
        // The source step replaces the one name of the C library by the other.
        "Darwin",
        "Dispatch", "Glibc", "Observation", "Synchronization", "RegexBuilder", "Distributed", "XCTest", "Testing",
        "CDispatch",
    ]
    /// The prefixes of products that are for hosts and tests, and not for authors' sources.
    private static let hidden = ["ExtensionHost", "exthost", "BundleExtensions"]
    private static let (fileLimit, packagesLimit) = (1 << 20, 100)

    /// - Parameter folder: the folder of exthost's `Package.swift`; facades with dependencies of their own are below it
    ///   in `Packages`.
    /// - Returns: nil if there is no such package.
    public init?(folder: String) {
        let folder = ProjectPaths.standardized(folder)
        guard access(folder + "/Sources/ExtensionFoundation", F_OK) == 0 else { return nil }
        self.folder = folder
        var products = Self.products(of: folder)
        for name in (try? listDirectory(folder + "/Packages", maximumCount: Self.packagesLimit))?.sorted() ?? [] {
            products.merge(Self.products(of: "\(folder)/Packages/\(name)")) { own, _ in own }
        }
        // The source step replaces the one name by the other.
        products["os"] = products["os"] ?? products["OSLog"]
        self.products = products
    }

    /// Returns the libraries that a package declares, as far as its text shows them.
    private static func products(of package: String) -> [String: Product] {
        guard let bytes = try? readFile(package + "/Package.swift", maximumSize: fileLimit) else { return [:] }
        let text = String(decoding: bytes, as: UTF8.self)
        let names = text.components(separatedBy: ".library(").dropFirst().compactMap { rest -> String? in
            let parts = rest.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].trimmingCharacters(in: .whitespacesAndNewlines) == "name:" else {
                return nil
            }
            return hidden.contains(where: parts[1].hasPrefix) ? nil : String(parts[1])
        }
        return Dictionary(names.map { ($0, Product(name: $0, package: package)) }, uniquingKeysWith: { $1 })
    }

    /// Returns these modules with those of a package of stubs, each a folder. The kit's own modules take precedence.
    func adding(stubs folder: String) -> KitModules {
        var all = self
        let place = folder + "/Sources"
        for name in (try? listDirectory(place, maximumCount: 1000)) ?? [] where !has(name) && BuildSettings.isName(name)
        {
            guard !BundlePart.files(in: "\(place)/\(name)", ending: ".swift").isEmpty else { continue }
            all.products[name] = Product(name: name, package: folder)
        }
        return all
    }

    func has(_ module: String) -> Bool { Self.toolchain.contains(module) || products[module] != nil }
}
