// GroupNameTests: names of control groups, whatever a bundle calls itself.

import ExtensionProtocol
import Testing

@testable import ExtensionHostDaemon

@Suite struct GroupNameTests {
    private static let request = RequestIdentifier("1B4E28BA-2FA1-11D2-883F-0016D3CCA427")

    @Test func aGroupIsNamedAfterItsExtensionAndItsFirstRequest() {
        #expect(GroupName.text(12, "com.example.share", Self.request) == "12-com.example.share-1B4E28BA")
        #expect(GroupName.text(3, "com.example.app", nil) == "3-com.example.app")
    }

    @Test(arguments: [
        "..", "../../init.scope", "a/b", "a b", "ü", "a\0b", "a\nb", ".", "", String(repeating: "x", count: 4000),
        "cgroup.procs",
    ])
    func anyIdentifierMakesTheNameOfOneFolder(_ identifier: String) {
        let name = GroupName.text(1, identifier, Self.request)
        #expect(name.hasPrefix("1-") && name.hasSuffix("-1B4E28BA") && name.utf8.count < 200)
        #expect(name.utf8.allSatisfy { ($0 > 0x20 && $0 < 0x7f) && $0 != UInt8(ascii: "/") }, "\(name)")
    }
}
