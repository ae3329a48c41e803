// HeldGroupsTests: where a process learns of its groups.

import ExtensionProtocol
import Foundation
import Testing

@testable import AppGroups

@Suite struct HeldGroupsTests {
    @Test func theEnvironmentNamesGroupsAndTheirFolder() throws {
        let variables = [
            "EXTHOST_APP_GROUPS": "group.a,group.../x,group.b", "EXTHOST_GROUP_CONTAINERS": "/groups",
            "HOME": "/home/x",
        ]
        let held = HeldGroups(environment: { variables[$0] }, program: { nil })
        #expect(try held.container(of: "group.a").get().path == "/groups/group.a")
        #expect(held.groups.count == 2)
    }

    @Test(arguments: ["group.c", "group.*", "nothing", "group.a/../group.b"])
    func aGroupThatIsNotHeldIsRefusedByName(_ name: String) {
        let held = HeldGroups(groups: [], folder: "/groups")
        guard case .failure(let refusal) = held.container(of: name) else {
            Issue.record("there is a container")
            return
        }
        #expect(!refusal.reason.isEmpty)
    }

    @Test func aGroupOfTheMacIsHeldByItsWholeName() throws {
        let variables = [
            "EXTHOST_APP_GROUPS": "A1B2C3D4E5.org.example,Notes,..", "EXTHOST_GROUP_CONTAINERS": "/groups",
        ]
        let held = HeldGroups(environment: { variables[$0] }, program: { nil })
        #expect(try held.container(of: "Notes").get().path == "/groups/Notes")
        #expect(held.holds("A1B2C3D4E5.org.example") && !held.holds("org.example") && !held.holds(".."))
    }

    @Test func withoutAFolderOfContainersTheHomeHasThem() {
        func folder(_ variables: [String: String]) -> String? {
            HeldGroups(environment: { variables[$0] }, program: { nil }).folder
        }
        #expect(folder(["HOME": "/home/x"]) == "/home/x/.local/share/exthost/Containers/Shared/AppGroup")
        #expect(folder(["HOME": "/home/x", "XDG_DATA_HOME": "/data"]) == "/data/exthost/Containers/Shared/AppGroup")
        #expect(
            folder(["HOME": "/home/x", "XDG_DATA_HOME": "data"])
                == "/home/x/.local/share/exthost/Containers/Shared/AppGroup")
        #expect(folder(["HOME": "/home/x", "EXTHOST_GROUP_CONTAINERS": "relative"]) == nil)
        #expect(folder([:]) == nil)
    }

    // spec: P-547
    @Test(arguments: ["", "/Contents"]) func aProgramInABundleHoldsItsGroups(_ layout: String) throws {
        let folder = try GroupFolder()
        let app = "\(folder.path)/Notes.app\(layout)"
        let plugIn = "\(app)/PlugIns/Share.appex\(layout)"
        try FileManager.default.createDirectory(atPath: plugIn + "/bin", withIntermediateDirectories: true)
        func write(_ groups: [String], _ path: String) throws {
            let entries = ["com.apple.security.application-groups": groups]
            try PropertyListSerialization.data(fromPropertyList: entries, format: .xml, options: 0)
                .write(to: URL(fileURLWithPath: path + "/Entitlements.plist"))
        }
        try write(["group.both", "group.app"], app)
        try write(["group.both", "group.extension"], plugIn)
        func held(_ path: String) -> [String] {
            HeldGroups(environment: { _ in nil }, program: { path }).groups.map(\.text).sorted()
        }
        #expect(held(app + "/Notes") == ["group.app", "group.both"])
        #expect(held(plugIn + "/bin/Share") == ["group.both"])
        #expect(held(folder.path + "/program") == [])
    }
}
