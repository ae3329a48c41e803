// GroupFolder: a folder for containers that goes with its test.

import ExtensionProtocol
import LinuxSystem

@testable import AppGroups

final class GroupFolder: Sendable {
    static let name = "group.org.example.tests"
    let path: String
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory(prefix: "exthost-groups")
        path = folder.path
    }

    deinit { try? folder.remove() }

    var container: String { "\(path)/\(Self.name)" }
    var preferences: String { "\(container)/Library/Preferences" }
    var file: String { "\(preferences)/\(Self.name).plist" }

    /// What another process would have: nothing is shared with other stores but the files.
    func store() throws -> GroupStore { GroupStore(try GroupIdentifier(Self.name), container: container) }

    func defaults() throws -> SharedDefaults { SharedDefaults(try store()) }
}
