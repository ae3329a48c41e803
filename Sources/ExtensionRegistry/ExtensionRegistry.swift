// ExtensionRegistry: which extensions there are, from the application folders.

import Glibc
import LinuxSystem

/// A picture of the application folders, made once; reading only. A value, so that the loop can be given a new one whole.
public struct ExtensionRegistry: Sendable {
    /// Every bundle found, in the order of identifiers, disabled ones included.
    public let bundles: [ExtensionBundle]
    private let winners: [String: Int]

    /// Entries of one folder beyond this many are not looked at: no folder of applications is that full.
    static let entriesLimit = 100_000

    public init(bundles: [ExtensionBundle]) {
        // Several copies of one identifier: the first folder searched wins, the others say so.
        var seen: [String: String] = [:]
        let judged = bundles.map { bundle in
            guard bundle.problems.isEmpty else { return bundle }
            guard let first = seen[bundle.identifier] else {
                seen[bundle.identifier] = bundle.path
                return bundle
            }
            var loser = bundle
            loser.problems = ["another copy of this identifier is used: \(first). Remove one of the two"]
            return loser
        }
        let sorted = judged.sorted { ($0.identifier, $0.path) < ($1.identifier, $1.path) }
        self.bundles = sorted
        winners = Dictionary(
            sorted.enumerated().map { ($0.element.identifier, $0.offset) },
            uniquingKeysWith: { sorted[$0].problems.isEmpty ? $0 : $1 })
    }

    /// The copy of `identifier` that is used: one that can be, if there is any.
    public subscript(identifier: String) -> ExtensionBundle? { winners[identifier].map { bundles[$0] } }

    /// Looks through the folders, in order. A folder that does not exist holds nothing. Reads files: not for the loop.
    public static func scan(_ folders: [String]) -> ExtensionRegistry {
        ExtensionRegistry(bundles: folders.flatMap(applications(in:)).flatMap(extensions(in:)))
    }

    private static func applications(in folder: String) -> [String] {
        let folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        if folder.hasSuffix(".app") { return [folder] }
        return entries(of: folder, ending: ".app")
    }

    private static func extensions(in application: String) -> [ExtensionBundle] {
        let root = BundleReader.layoutRoot(of: application).folder
        return entries(of: root + "/PlugIns", ending: ".appex").map { BundleReader.read($0, containingApp: application) }
    }

    private static func entries(of folder: String, ending suffix: String) -> [String] {
        let names = (try? listDirectory(folder, maximumCount: entriesLimit)) ?? []
        return names.filter { $0.hasSuffix(suffix) && $0.count > suffix.count }.map { "\(folder)/\($0)" }
    }
}
