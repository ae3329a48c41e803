// KeychainTests: keychains of an app and of its extension, in files that both may change.

import Foundation
import Glibc
import PropertyListCoding
import Testing

@testable import AppGroups
@testable import Security

@Suite struct KeychainTests {
    private static let group = KeychainFolders.group

    // spec: P-680
    @Test("P-680: an app and its extension share the passwords of their group, and no others")
    func twoProcessesShareAGroup() throws {
        let folders = try KeychainFolders()
        let (app, part) = (try KeychainProcess(folders, home: "app"), try KeychainProcess(folders, home: "extension"))
        #expect(app.ask("add \(Self.group) me plain secret") == "0")
        #expect(app.ask("add - own plain alone") == "0")
        #expect(part.ask("get - me plain -") == "0 secret")
        #expect(part.ask("get - own plain -") == "-25300")
        #expect(part.ask("add \(Self.group) me plain other") == "-25299")
        #expect(part.ask("update - me plain changed") == "0")
        #expect(app.ask("get \(Self.group) me plain -") == "0 changed")
        #expect(part.ask("delete - me plain -") == "0")
        #expect(app.ask("get - me plain -") == "-25300" && app.ask("get - own plain -") == "0 alone")
        #expect(app.ask("add group.org.example.strange me plain x") == "-34018")
        let stranger = try KeychainProcess(folders, home: "app", groups: "")
        #expect(stranger.ask("add \(Self.group) me plain x") == "-34018")
    }

    @Test func theCodeOfAProcessHasItsGroups() throws {
        let folders = try KeychainFolders()
        #expect(try KeychainProcess(folders, home: "app").ask("code - - - -") == "0 \(Self.group)")
        #expect(try KeychainProcess(folders, home: "app", groups: "").ask("code - - - -") == "0")
    }

    // spec: P-681
    @Test("P-681: a plain password and the synchronized one of the same account are two")
    func aSynchronizedPasswordIsAnotherOne() throws {
        let folders = try KeychainFolders()
        let app = try KeychainProcess(folders, home: "app")
        #expect(app.ask("add - me plain here") == "0" && app.ask("add - me shared everywhere") == "0")
        #expect(app.ask("get - me plain -") == "0 here" && app.ask("get - me shared -") == "0 everywhere")
        #expect(app.ask("get - me any -") == "0 here everywhere")
        #expect(app.ask("update - me plain changed") == "0")
        #expect(
            app.ask("get - me any -") == "0 changed everywhere" || app.ask("get - me any -") == "0 everywhere changed")
        #expect(app.ask("delete - me plain -") == "0")
        #expect(app.ask("get - me any -") == "0 everywhere")
        #expect(app.ask("delete - me any -") == "0" && app.ask("get - me any -") == "-25300")
    }

    // spec: P-682
    @Test("P-682: only this user may read the file, and what is no keychain stays as it is")
    func aDamagedFileLosesNothing() throws {
        let folders = try KeychainFolders()
        let app = try KeychainProcess(folders, home: "app")
        #expect(app.ask("add - me plain secret") == "0")
        var status = stat()
        #expect(stat(folders.file("app"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        let whole = try Data(contentsOf: URL(fileURLWithPath: folders.file("app")))
        for damaged in [Data("nonsense".utf8), whole.dropLast(20), try Self.plist(["items": "none"])] {
            try Data(damaged).write(to: URL(fileURLWithPath: folders.file("app")))
            #expect(app.ask("get - me plain -") == "-26275")
            #expect(app.ask("add - you plain secret") == "-26275" && app.ask("delete - me plain -") == "-26275")
            #expect(try Data(contentsOf: URL(fileURLWithPath: folders.file("app"))) == Data(damaged))
        }
        try whole.write(to: URL(fileURLWithPath: folders.file("app")))
        #expect(app.ask("get - me plain -") == "0 secret")
    }

    private static func plist(_ values: PropertyListDictionary) throws -> Data {
        Data(try PropertyList.dictionary(values).encodeBinary())
    }

    // spec: P-683
    @Test("P-683: a process that is suspended with the lock holds others up for 3 s, and readers not at all")
    func aLockIsNotWaitedForWithoutEnd() throws {
        let folders = try KeychainFolders()
        let app = try KeychainProcess(folders, home: "app")
        #expect(app.ask("add \(Self.group) me plain secret") == "0")
        let file = StoreFile(
            "keychain.plist", in: ["Library", "Keychains"], of: "\(folders.path)/groups/\(Self.group)", patience: 3)
        try file.withLock { () throws(StoreError) in
            #expect(app.ask("get - me plain -") == "0 secret")
            #expect(app.ask("update \(Self.group) me plain changed") == "-25291")
        }
        #expect(app.ask("update - me plain changed") == "0")
    }

    // spec: P-684
    @Test("P-684: a writer killed at any time leaves the old password or the new one")
    func killedAtAnyTimeNothingIsTorn() throws {
        let folders = try KeychainFolders()
        let part = try KeychainProcess(folders, home: "extension")
        #expect(part.ask("add \(Self.group) me plain 0") == "0")
        for _ in 0..<10 {
            let app = try KeychainProcess(folders, home: "app")
            app.tell("hammer \(Self.group) me plain -")
            var last = 0
            for _ in 0..<Int.random(in: 1..<20) { last = app.line().flatMap { Int($0) } ?? -1 }
            #expect(last >= 0)
            try app.signal(SIGKILL)
            while let number = app.line().flatMap({ Int($0) }) { last = number }
            let found = part.ask("get - me plain -")?.split(separator: " ").last.flatMap { Int($0) }
            #expect(found == last || found == last + 1)
        }
    }

    // spec: P-685
    @Test("P-685: a change of several groups that was begun is completed by the next call")
    func aJournalIsCompleted() throws {
        let folders = try KeychainFolders()
        let app = try KeychainProcess(folders, home: "app")
        #expect(app.ask("add - me plain one") == "0" && app.ask("add \(Self.group) me plain two") == "0")
        #expect(app.ask("get - me plain -") == "0 one two")
        // Both change.
        #expect(app.ask("update - me plain both") == "0" && app.ask("get - me plain -") == "0 both both")
        let journal = "\(folders.path)/app/Library/Keychains/keychain-journal.plist"
        #expect(!FileManager.default.fileExists(atPath: journal))
        // Killed after the journal and before the second file: the own one has changed, the group's has not.
        let former = try Data(contentsOf: URL(fileURLWithPath: folders.groupFile))
        let own = try Self.items(folders.file("app")), shared = try Self.items(folders.groupFile)
        let name = try #require(
            app.ask("groups - me plain -")?.split(separator: " ").dropFirst().first.map(String.init))
        func changed(_ items: [PropertyList]) -> PropertyList {
            .array(
                items.map { item in
                    var values = item.dictionary ?? [:]
                    values["v_Data"] = .data(Array("late".utf8))
                    return .dictionary(values)
                })
        }
        let changes: PropertyList = [
            ["group": .string(name), "put": changed(own), "removed": [], "former": .array(own)],
            ["group": .string(Self.group), "put": changed(shared), "removed": [], "former": .array(shared)],
        ]
        try Self.plist(["changes": changes]).write(to: URL(fileURLWithPath: journal))
        // Another process knows nothing of it, and changes another item meanwhile.
        let part = try KeychainProcess(folders, home: "extension")
        #expect(part.ask("get - me plain -") == "0 both" && part.ask("add \(Self.group) you plain new") == "0")
        #expect(app.ask("get - me plain -") == "0 late late")
        #expect(!FileManager.default.fileExists(atPath: journal))
        #expect(part.ask("get - you plain -") == "0 new" && part.ask("get - me plain -") == "0 late")
        #expect(try Data(contentsOf: URL(fileURLWithPath: folders.groupFile)) != former)
    }

    // spec: P-685
    @Test("P-685: the completion of a change leaves an item that another process has changed since")
    func anOldJournalLosesNothing() throws {
        let folders = try KeychainFolders()
        let (app, part) = (try KeychainProcess(folders, home: "app"), try KeychainProcess(folders, home: "extension"))
        #expect(app.ask("add - me plain one") == "0" && app.ask("add \(Self.group) me plain two") == "0")
        let name = try Self.ownGroup(app)
        let own = try Self.items(folders.file("app")), shared = try Self.items(folders.groupFile)
        try Self.journal(
            folders,
            [
                ["group": .string(name), "put": [], "removed": .array(Self.identifiers(own)), "former": .array(own)],
                [
                    "group": .string(Self.group), "put": [], "removed": .array(Self.identifiers(shared)),
                    "former": .array(shared),
                ],
            ])
        #expect(part.ask("update - me plain newer") == "0")
        #expect(app.ask("get - me plain -") == "0 newer")
        // An item moves into the group, which has got such an account since.
        #expect(app.ask("add - you plain one") == "0" && part.ask("add \(Self.group) you plain other") == "0")
        try Self.journalMove(folders, from: name)
        #expect(app.ask("get - you plain -") == "0 one other")
        #expect(!FileManager.default.fileExists(atPath: Self.journalPath(folders)))
    }

    // spec: P-685
    @Test("P-685: an item whose move was begun stays if the process has left the group")
    func aMoveToALeftGroupIsDropped() throws {
        let folders = try KeychainFolders()
        let member = try KeychainProcess(folders, home: "app")
        #expect(member.ask("add - me plain one") == "0")
        try Self.journalMove(folders, from: try Self.ownGroup(member))
        let app = try KeychainProcess(folders, home: "app", groups: "")
        #expect(app.ask("get - me plain -") == "0 one")
        #expect(!FileManager.default.fileExists(atPath: Self.journalPath(folders)))
    }

    // spec: P-685
    @Test("P-685: a change of a damaged keychain waits for its repair, and holds up no other keychain")
    func aJournalOfADamagedFileWaits() throws {
        let folders = try KeychainFolders()
        let app = try KeychainProcess(folders, home: "app")
        #expect(app.ask("add - me plain one") == "0" && app.ask("add \(Self.group) you plain two") == "0")
        let name = try Self.ownGroup(app)
        let whole = try Data(contentsOf: URL(fileURLWithPath: folders.groupFile))
        try Self.journalMove(folders, from: name)
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: folders.groupFile))
        #expect(app.ask("get \(name) me plain -") == "0 one" && app.ask("add \(name) other plain x") == "0")
        #expect(app.ask("get \(Self.group) me plain -") == "-26275")
        #expect(FileManager.default.fileExists(atPath: Self.journalPath(folders)))
        try whole.write(to: URL(fileURLWithPath: folders.groupFile))
        #expect(app.ask("groups - me plain -") == "0 \(Self.group)" && app.ask("get - me plain -") == "0 one")
        #expect(!FileManager.default.fileExists(atPath: Self.journalPath(folders)))
    }

    // spec: P-685
    @Test("P-685: an item that was moved, and that another process has deleted since, does not come back")
    func aDeletedItemStaysAway() throws {
        let folders = try KeychainFolders()
        let (app, part) = (try KeychainProcess(folders, home: "app"), try KeychainProcess(folders, home: "extension"))
        #expect(app.ask("add - me plain one") == "0" && app.ask("add - you plain two") == "0")
        let name = try Self.ownGroup(app)
        let before = try Data(contentsOf: URL(fileURLWithPath: folders.file("app")))
        let own = try Self.items(folders.file("app"))
        #expect(app.ask("move \(name) me plain \(Self.group)") == "0")
        // Killed between the two files: the item is in the group, and still in the own keychain.
        let shared = try Self.values(folders.groupFile)
        let mark = try #require(shared["added"]?.array?.first?.string)
        let moved = own.filter { mark.hasSuffix($0.dictionary?["id"]?.string ?? "-") }
        #expect(moved.count == 1)
        try before.write(to: URL(fileURLWithPath: folders.file("app")))
        let change = PropertyList.string(String(mark.prefix { $0 != " " }))
        try Self.journal(
            folders,
            [
                [
                    "id": "other", "group": .string(name), "put": [], "removed": .array(Self.identifiers(moved)),
                    "former": .array(moved),
                ],
                ["id": change, "group": .string(Self.group), "put": .array(moved), "removed": [], "former": []],
            ])
        #expect(part.ask("delete \(Self.group) me plain -") == "0")
        #expect(app.ask("get - me plain -") == "-25300" && app.ask("get - you plain -") == "0 two")
        #expect(!FileManager.default.fileExists(atPath: Self.journalPath(folders)))
        // A keychain keeps the newest marks only.
        for _ in 0..<70 {
            #expect(app.ask("move \(name) you plain \(Self.group)") == "0")
            #expect(app.ask("move \(Self.group) you plain \(name)") == "0")
        }
        #expect(try Self.values(folders.groupFile)["added"]?.array?.count == 64)
    }

    // spec: P-685
    @Test("P-685: a damaged journal stays as it is, and disables only changes of several groups")
    func aDamagedJournalDisablesItself() throws {
        let folders = try KeychainFolders()
        let app = try KeychainProcess(folders, home: "app")
        #expect(app.ask("add - me plain one") == "0")
        let name = try Self.ownGroup(app)
        for text in ["nonsense", "<plist><dict><key>changes</key><array><string>x</string></array></dict></plist>"] {
            let place = URL(fileURLWithPath: Self.journalPath(folders))
            try Data(text.utf8).write(to: place)
            #expect(app.ask("get - me plain -") == "0 one" && app.ask("add - you plain two") == "0")
            #expect(app.ask("delete - you plain -") == "0")
            #expect(app.ask("move \(name) me plain \(Self.group)") == "-26275")
            #expect(app.ask("groups - me plain -") == "0 \(name)")
            #expect(try Data(contentsOf: place) == Data(text.utf8))
            try FileManager.default.removeItem(at: place)
        }
        #expect(app.ask("move \(name) me plain \(Self.group)") == "0")
    }

    private static func values(_ path: String) throws -> PropertyListDictionary {
        try PropertyList(file: [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))), limits: .file).dictionary
            ?? [:]
    }

    private static func ownGroup(_ process: KeychainProcess) throws -> String {
        let answer = try #require(process.ask("groups - me plain -"))
        return try #require(answer.split(separator: " ").dropFirst().first.map(String.init))
    }

    private static func journalPath(_ folders: KeychainFolders) -> String {
        "\(folders.path)/app/Library/Keychains/keychain-journal.plist"
    }

    private static func journal(_ folders: KeychainFolders, _ changes: PropertyList) throws {
        try plist(["changes": changes]).write(to: URL(fileURLWithPath: journalPath(folders)))
    }

    /// Writes a journal that moves all items of the app into the group.
    private static func journalMove(_ folders: KeychainFolders, from name: String) throws {
        let own = try items(folders.file("app"))
        let removal: PropertyList = [
            "group": .string(name), "put": [], "removed": .array(identifiers(own)), "former": .array(own),
        ]
        let addition: PropertyList = [
            "group": .string(group), "put": .array(own), "removed": [], "former": [],
        ]
        try journal(folders, .array([removal, addition]))
    }

    private static func identifiers(_ items: [PropertyList]) -> [PropertyList] {
        items.compactMap { $0.dictionary?["id"] }
    }

    private static func items(_ path: String) throws -> [PropertyList] {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        return try PropertyList(file: bytes, limits: .file).dictionary?["items"]?.array ?? []
    }

    // spec: P-685
    @Test("P-685: a change that one of the groups refuses changes none")
    func aRefusedChangeChangesNothing() throws {
        let folders = try KeychainFolders()
        let app = try KeychainProcess(folders, home: "app")
        #expect(app.ask("add - me plain one") == "0" && app.ask("add \(Self.group) me plain two") == "0")
        // The group has such an account already.
        let name = try #require(app.ask("groups - me plain -")?.split(separator: " ").dropFirst().first)
        #expect(app.ask("move \(name) me plain \(Self.group)") == "-25299")
        #expect(app.ask("get - me plain -") == "0 one two")
        #expect(app.ask("delete \(Self.group) me plain -") == "0")
        #expect(app.ask("move \(name) me plain \(Self.group)") == "0")
        #expect(app.ask("groups - me plain -") == "0 \(Self.group)" && app.ask("get - me plain -") == "0 one")
        // The group's file is damaged: the own password stays, too.
        #expect(app.ask("add - me plain own") == "0")
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: folders.groupFile))
        #expect(app.ask("delete - me plain -") == "-26275" && app.ask("get \(name) me plain -") == "0 own")
    }
}

@Suite struct SecItemTests {
    // not simulated: N-200
    @Test func dictionariesOfAllKindsCast() {
        let text: [String: Any] = [kSecClass as String: kSecClassCertificate]
        let names: [CFString: Any] = [kSecClass: kSecClassCertificate]
        let object = NSMutableDictionary()
        object[kSecClass as String] = kSecClassCertificate
        #expect(SecItemDelete(text as CFDictionary) == SecItemDelete(names as CFDictionary))
        #expect(SecItemDelete(object as CFDictionary) == SecItemDelete(object))
        #expect(
            SecItemAdd([kSecClass: kSecClassKey, kSecValueData: Data()] as CFDictionary, nil) == errSecUnimplemented)
        #expect(SecItemAdd([kSecAttrAccount: "me"] as CFDictionary, nil) == errSecParam)
        #expect(SecItemAdd(["class": kSecClassKey, "strange": true] as CFDictionary, nil) == errSecNoSuchAttr)
        #expect(SecItemCopyMatching([kSecClass: "strange"] as CFDictionary, nil) == errSecNoSuchClass)
        let key =
            [kSecClass: kSecClassKey, kSecAttrApplicationTag: Data(), kSecAttrKeyType: kSecAttrKeyTypeRSA]
            as [String: Any]
        #expect(SecItemCopyMatching(key as CFDictionary, nil) == errSecItemNotFound)
        for key in [kSecAttrApplicationTag, kSecAttrKeySizeInBits, kSecAttrTokenID, kSecAttrIsPermanent] {
            let query = [kSecClass: kSecClassGenericPassword, key: Data()] as [String: Any]
            #expect(SecItemDelete(query as CFDictionary) == errSecNoSuchAttr)
        }
        var (publicKey, privateKey): (SecKey?, SecKey?)
        let wish = [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256] as [String: Any]
        #expect(SecKeyGeneratePair(wish as CFDictionary, &publicKey, &privateKey) == errSecUnimplemented)
        #expect(publicKey == nil && privateKey == nil)
        let large = [kSecClass: kSecClassGenericPassword, kSecValueData: Data(count: 2 << 20)] as CFDictionary
        #expect(SecItemAdd(large, nil) == errSecDataTooLarge)
        for key in [kSecReturnRef, kSecAttrAccessControl, kSecUseAuthenticationContext] {
            let query = [kSecClass: kSecClassGenericPassword, key: true] as [String: Any]
            #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecUnimplemented)
        }
    }

    // not simulated: N-201
    @Test func statusesHaveWordsAndBytesAreRandom() {
        #expect(SecCopyErrorMessageString(errSecItemNotFound, nil) != nil && SecCopyErrorMessageString(77, nil) == nil)
        var (one, other) = ([UInt8](repeating: 0, count: 600), [UInt8](repeating: 0, count: 600))
        #expect(SecRandomCopyBytes(kSecRandomDefault, one.count, &one) == errSecSuccess)
        #expect(SecRandomCopyBytes(kSecRandomDefault, other.count, &other) == errSecSuccess)
        #expect(one != other && Set(one.suffix(88)).count > 8)
        var error: Unmanaged<CFError>?
        let control = SecAccessControlCreateWithFlags(
            kCFAllocatorDefault, kSecAttrAccessibleWhenUnlocked as CFTypeRef, .userPresence, &error)
        #expect(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil) == nil)
        #expect(control == nil && error?.takeRetainedValue().code == Int(errSecUnimplemented))
        #expect(SecCreateSharedWebCredentialPassword()?.count == 15)
    }
}
