// GroupIdentifierTests: which texts name an app group, and what an entitlements file gives.

import ExtensionProtocol
import PropertyListCoding
import Testing

@Suite struct GroupIdentifierTests {
    @Test(arguments: [
        "group.a", "group.org.example.Notes-2_x", "group." + String(repeating: "n", count: 194),
        // The Mac has such groups.
        "A1B2C3D4E5.org.example", "org.example", "Notes", "Group.a", "a..b",
    ])
    func groupsAreNamed(_ text: String) throws { #expect(try GroupIdentifier(text).text == text) }

    @Test(arguments: [
        ("group.*", GroupIdentifierFault.wildcard), ("*", .wildcard), ("group.org.example.*", .wildcard),
        ("group.", .name), ("", .name), (".", .name), ("..", .name), (".hidden", .name), ("all", .name),
        ("ALL", .name), ("none", .name), ("True", .name), ("false", .name),
        ("a/b", .character), ("group.a/b", .character), ("group.../../etc", .character),
        ("group.é", .character), ("group.a,group.b", .character), ("group.a\u{0}", .character),
        ("group." + String(repeating: "n", count: 195), .length),
    ])
    func otherTextsAreRefusedWithTheReason(_ text: String, _ fault: GroupIdentifierFault) {
        #expect(throws: fault) { try GroupIdentifier(text) }
    }

    @Test func onlyNamesOfIOSBeginWithGroup() throws {
        #expect(try GroupIdentifier("group.a").hasGroupPrefix)
        #expect(try !GroupIdentifier("Group.a").hasGroupPrefix && !GroupIdentifier("group-a.b").hasGroupPrefix)
    }

    // spec: P-541
    @Test func anEntitlementsFileGivesItsGroupsAndNamesTheRest() {
        let names: PropertyList = ["group.a", "group.b", "group.*", 7, "group.a"]
        let found = Entitlements(
            [Entitlements.groupsKey: names, "com.apple.security.app-sandbox": true] as PropertyList)
        #expect(found.groups.map(\.text).sorted() == ["group.a", "group.b"])
        #expect(found.faults.map(\.group) == ["group.*", ""])
        #expect(found.faults.first?.reason.contains("wildcard") == true)
    }

    @Test func theNetworkIsAskedForByTrueAlone() {
        let both: PropertyList = [
            "com.apple.security.network.client": true, "com.apple.security.network.server": false,
        ]
        #expect(Entitlements(both).isClient && !Entitlements(both).isServer)
        let wrong = Entitlements(
            ["com.apple.security.network.client": "yes", "com.apple.security.network.server": 1] as PropertyList)
        #expect(!wrong.isClient && !wrong.isServer && wrong.faults.count == 2)
        #expect(wrong.faults.first?.reason == "com.apple.security.network.client is neither true nor false")
    }

    @Test func aFileThatIsNoEntitlementsGivesNone() {
        #expect(Entitlements(["a"] as PropertyList).faults.count == 1)
        #expect(Entitlements([Entitlements.groupsKey: "group.a"] as PropertyList).faults.count == 1)
        #expect(Entitlements([:] as PropertyList).faults.isEmpty)
        let many = PropertyList.array((0..<100).map { .string("group.n\($0)") })
        let found = Entitlements([Entitlements.groupsKey: many] as PropertyList)
        #expect(found.groups.count == Entitlements.greatestCount)
        #expect(found.faults.count == 1)
    }
}
