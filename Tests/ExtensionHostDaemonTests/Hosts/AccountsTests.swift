// AccountsTests: names of users from a list, whatever stands there.

import Foundation
import LinuxSystem
import Testing

@testable import ExtensionHostDaemon

@Suite struct AccountsTests {
    @Test func aNameIsFoundByItsNumber() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-accounts")
        let path = folder.path + "/passwd"
        let text =
            "root:x:0:0::/:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n:x:7:7\nx:x:+8:8\nbad name:x:9:9::\n\nann2:x:1000:1::\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(Accounts.name(of: 0, in: path) == "root")
        #expect(Accounts.name(of: 1000, in: path) == "ann")
        for uid: UInt32 in [7, 9, 1] { #expect(Accounts.name(of: uid, in: path) == nil) }
        #expect(Accounts.name(of: 0, in: folder.path + "/none") == nil)
        try folder.remove()
    }
}
