// ExtensionRegistry: good bundles are served, bad ones disable themselves only, each with a reason that names the
// remedy.

import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import PropertyListCoding
import Testing

@Suite struct RegistryTests {
    private let folder: ApplicationsFolder

    init() throws { folder = try ApplicationsFolder() }

    private func scan() -> ExtensionRegistry { ExtensionRegistry.scan([folder.path]) }

    // spec: P-206
    @Test func aGoodBundleIsServedWithAllThatItsPlistSays() throws {
        let path = try folder.good("Photos", "Share", identifier: "com.example.photos.share")
        try folder.write(
            "\(folder.path)/Photos.app/Info.plist",
            ApplicationsFolder.plist([
                ApplicationsFolder.string("CFBundleIdentifier", "com.example.photos"),
                ApplicationsFolder.string("CFBundleName", "Photos"),
                ApplicationsFolder.string("CFBundleVersion", "42"),
                ApplicationsFolder.string("CFBundleShortVersionString", "1.2"),
            ]))
        let bundle = try #require(scan()["com.example.photos.share"]?.bundle)
        #expect(bundle.informationDictionary["CFBundleExecutable"] == "Share")
        #expect(
            bundle.declaration.point == "com.apple.share-services"
                && bundle.declaration.principalClass == "Share.Handler")
        #expect(
            bundle
                == ExtensionBundle(
                    identifier: "com.example.photos.share", version: "42", shortVersion: "1.2", displayName: "A Name",
                    point: "com.apple.share-services", principalClass: "Share.Handler", executable: "\(path)/Share",
                    path: path,
                    containingApp: "\(folder.path)/Photos.app", parentName: "Photos", information: bundle.information))
    }

    @Test func aVersionThatIsNotTheAppsIsAWarningAndDisablesNothing() throws {
        try folder.good("Photos", "Share", identifier: "com.example.photos.share")
        try folder.write(
            "\(folder.path)/Photos.app/Info.plist",
            ApplicationsFolder.plist([
                ApplicationsFolder.string("CFBundleIdentifier", "com.example.photos"),
                ApplicationsFolder.string("CFBundleVersion", "43"),
                ApplicationsFolder.string("CFBundleShortVersionString", "1.2"),
            ]))
        let copy = try #require(scan()["com.example.photos.share"])
        #expect(copy.isWinner && copy.bundle.problems == [])
        #expect(
            copy.bundle.warnings.count == 1 && copy.bundle.warnings[0].contains("CFBundleVersion 42")
                && copy.record.warnings.suffix(1) == copy.bundle.warnings[...])
        // The bundle of this test has no rule either, though its point takes some.
        #expect(copy.record.warnings.count == 2 && copy.record.warnings[0].contains("NSExtensionActivationRule"))
    }

    @Test func theLayoutWithContentsIsRead() throws {
        let path = try folder.good("Mac", "Share", identifier: "com.example.mac.share", contents: true)
        let bundle = try #require(scan()["com.example.mac.share"]?.bundle)
        #expect(bundle.problems == [])
        #expect(bundle.executable == "\(path)/Contents/MacOS/Share")
        #expect(bundle.containingApp == "\(folder.path)/Mac.app")
        #expect(throws: Never.self) { try OpenedBundle(bundle, outside: nil) }
    }

    @Test func whatMayBeAbsentHasADefault() throws {
        let path = try folder.bundle("A", "Bare")
        try folder.write(
            "\(path)/Info.plist",
            ApplicationsFolder.plist([
                ApplicationsFolder.string("CFBundleIdentifier", "a.bare"),
                ApplicationsFolder.string("CFBundleExecutable", "Bare"),
                "<key>NSExtension</key><dict>\(ApplicationsFolder.string("NSExtensionPointIdentifier", "p"))</dict>",
            ]))
        try folder.write("\(path)/Bare", "", mode: 0o755)
        let bundle = try #require(scan()["a.bare"]?.bundle)
        #expect(bundle.problems == [])
        #expect((bundle.version, bundle.shortVersion, bundle.displayName) == ("0", "0", "a.bare"))
        #expect(bundle.principalClass == nil && bundle.activationRule == nil && bundle.attributes.isEmpty)
    }

    @Test func bundlesComeInTheOrderOfIdentifiersAndOtherFilesAreNotLookedAt() throws {
        for name in ["c", "a", "b"] { try folder.good("App", name, identifier: "id.\(name)") }
        try folder.write("\(folder.path)/README", "nothing")
        try folder.write("\(folder.path)/App.app/PlugIns/notes.txt", "nothing")
        try folder.makeFolder("\(folder.path)/Other/PlugIns/X.appex")
        try folder.makeFolder("\(folder.path)/.app/PlugIns/X.appex")
        #expect(scan().copies.map(\.bundle.identifier) == ["id.a", "id.b", "id.c"])
    }

    @Test func aFolderThatIsNotThereOrIsAnApplicationItselfIsFine() throws {
        try folder.good("App", "Share", identifier: "id")
        let registry = ExtensionRegistry.scan(["\(folder.path)/nowhere", "\(folder.path)/App.app/"])
        #expect(registry["id"] != nil)
        #expect(registry["none"] == nil)
        #expect(ExtensionRegistry.scan([]).copies.isEmpty)
    }

    /// What was looked at when the bundle was read need not be what lies there when it is launched.
    @Test func aProgramThatBecameALinkOutOfTheBundleIsNotLaunched() throws {
        let path = try folder.good("App", "Share", identifier: "id")
        let bundle = try #require(scan()["id"]?.bundle)
        #expect(throws: Never.self) { try OpenedBundle(bundle, outside: nil) }
        #expect(unlink("\(path)/Share") == 0 && symlink("/bin/true", "\(path)/Share") == 0)
        let error = #expect(throws: ExtensionHostError.self) { try OpenedBundle(bundle, outside: nil) }
        #expect(error?.code == .launchFailed && error?.message.contains("not a regular file") == true)
    }

    // MARK: Copies

    // spec: P-102
    @Test func theHighestVersionIsUsedAndTheOthersSayWhy() throws {
        for (app, version) in [("A", "9.1"), ("B", "10"), ("C", "9.20")] {
            let path = try folder.good(app, "Share", identifier: "com.example.many")
            try folder.write(
                "\(path)/Info.plist",
                ApplicationsFolder.plist(
                    ApplicationsFolder.entries(identifier: "com.example.many", executable: "Share", version: version)))
        }
        let registry = scan()
        #expect(
            registry["com.example.many"]?.bundle.version == "10"
                && registry["com.example.many"]?.rule == .highestVersion)
        #expect(registry.copies.map(\.rule) == [.lowerVersion, .highestVersion, .lowerVersion])
        #expect(registry.copies.map(\.prefix) == ["=", " ", "="])
        #expect(registry.copies.allSatisfy { $0.bundle.problems.isEmpty })
    }

    @Test func ofEqualCopiesThatWereFoundTogetherTheFirstFoldersIsUsed() throws {
        let first = try folder.good("A", "Share", identifier: "com.example.twice")
        try folder.good("B", "Share", identifier: "com.example.twice")
        let registry = scan()
        #expect(
            registry["com.example.twice"]?.bundle.path == first
                && registry["com.example.twice"]?.rule == .lastRegistered)
        #expect(registry.copies.map(\.rule) == [.lastRegistered, .registeredEarlier])
    }

    @Test func aBrokenCopyDoesNotStandInTheWayOfAGoodOne() throws {
        let broken = try folder.good("A", "Share", identifier: "com.example.twice")
        #expect(unlink("\(broken)/Share") == 0)
        let good = try folder.good("B", "Share", identifier: "com.example.twice")
        let copy = try #require(scan()["com.example.twice"])
        #expect(copy.bundle.path == good && copy.rule == .onlyCopy)
        #expect(copy.bundle.problems == [])
    }

    @Test func anIdentifierWithBrokenCopiesOnlyIsFoundWithItsProblem() throws {
        let broken = try folder.good("A", "Share", identifier: "com.example.broken")
        #expect(unlink("\(broken)/Share") == 0)
        #expect(scan()["com.example.broken"]?.bundle.problems.isEmpty == false)
    }
}
