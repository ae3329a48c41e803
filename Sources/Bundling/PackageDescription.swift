// PackageDescription: SwiftPM's description of a package: its targets, their folders, and the programs that they
// become.

import Foundation

/// The parts of `swift package describe --type json` that matter here.
struct PackageDescription: Decodable {
    struct Target: Decodable {
        let name: String
        let moduleName: String
        /// The path below the package.
        let path: String
        let type: String
        let sources: [String]
        let dependencies: [String]
        /// The products of other packages that it depends on.
        let products: [String]

        private enum CodingKeys: String, CodingKey {
            case name, path, type, sources
            case products = "product_dependencies"
            case moduleName = "c99name"
            case dependencies = "target_dependencies"
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            name = try values.decode(String.self, forKey: .name)
            moduleName = try values.decode(String.self, forKey: .moduleName)
            path = try values.decode(String.self, forKey: .path)
            type = try values.decode(String.self, forKey: .type)
            sources = try values.decodeIfPresent([String].self, forKey: .sources) ?? []
            dependencies = try values.decodeIfPresent([String].self, forKey: .dependencies) ?? []
            products = try values.decodeIfPresent([String].self, forKey: .products) ?? []
        }

        var isProgram: Bool { type == "executable" }
    }

    struct Product: Decodable {
        let name: String
        let targets: [String]
        /// The kind, which is the only key.
        let type: [String: [String]?]

        var isProgram: Bool { type.keys.contains("executable") }
        var isDynamicLibrary: Bool { type["library"]??.contains("dynamic") == true }
    }

    struct Dependency: Decodable {
        let type: String
        /// The absolute path; nil for a package that has to be fetched.
        let path: String?
    }

    let name: String
    let targets: [Target]
    let products: [Product]
    /// The dependencies that the package itself names.
    private let dependencies: [Dependency]?

    /// The folders of the packages that need no fetching.
    var localPackages: [String] { (dependencies ?? []).filter { $0.type == "fileSystem" }.compactMap(\.path) }

    /// Whether the package names one that has to be fetched.
    var fetchesPackages: Bool { (dependencies ?? []).contains { $0.type != "fileSystem" } }

    /// Returns the name of the program that a target becomes.
    func program(of target: Target) -> String {
        products.first { $0.isProgram && $0.targets.first == target.name }?.name ?? target.name
    }

    /// Returns the name of the dynamic library that a target becomes; nil if the package makes none of it.
    func library(of target: Target) -> String? {
        products.first { $0.isDynamicLibrary && $0.targets.contains(target.name) }?.name
    }

    /// Returns a target with all targets that it depends on.
    func closure(of target: Target) -> [Target] {
        var found = [target]
        var next = 0
        while next < found.count {
            let names = found[next].dependencies
            next += 1
            found += targets.filter { candidate in
                names.contains(candidate.name) && !found.contains { $0.name == candidate.name }
            }
        }
        return found
    }
}
