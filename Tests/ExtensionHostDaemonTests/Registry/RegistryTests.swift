// ExtensionRegistry: good bundles are served, bad ones disable themselves only, each with a reason that names the remedy.

import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import Testing

@Suite struct RegistryTests {
    private let folder: ApplicationsFolder

    init() throws { folder = try ApplicationsFolder() }

    private func scan() -> ExtensionRegistry { ExtensionRegistry.scan([folder.path]) }

    @Test func aGoodBundleIsServedWithAllThatItsPlistSays() throws {
        let path = try folder.good("Photos", "Share", identifier: "com.example.photos.share")
        let bundle = try #require(scan()["com.example.photos.share"])
        #expect(
            bundle
                == ExtensionBundle(
                    identifier: "com.example.photos.share", version: "42", shortVersion: "1.2", displayName: "A Name",
                    point: "com.apple.share-services", principalClass: "Share.Handler", executable: "\(path)/Share", path: path,
                    containingApp: "\(folder.path)/Photos.app"))
        #expect(bundle.record.problems.isEmpty)
    }

    @Test func theLayoutWithContentsIsRead() throws {
        let path = try folder.good("Mac", "Share", identifier: "com.example.mac.share", contents: true)
        let bundle = try #require(scan()["com.example.mac.share"])
        #expect(bundle.problems == [])
        #expect(bundle.executable == "\(path)/Contents/MacOS/Share")
        #expect(bundle.containingApp == "\(folder.path)/Mac.app")
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
        let bundle = try #require(scan()["a.bare"])
        #expect(bundle.problems == [])
        #expect((bundle.version, bundle.shortVersion, bundle.displayName) == ("0", "0", "a.bare"))
        #expect(bundle.principalClass == nil)
    }

    @Test func bundlesComeInTheOrderOfIdentifiersAndOtherFilesAreNotLookedAt() throws {
        for name in ["c", "a", "b"] { try folder.good("App", name, identifier: "id.\(name)") }
        try folder.write("\(folder.path)/README", "nothing")
        try folder.write("\(folder.path)/App.app/PlugIns/notes.txt", "nothing")
        try folder.makeFolder("\(folder.path)/Other/PlugIns/X.appex")
        try folder.makeFolder("\(folder.path)/.app/PlugIns/X.appex")
        #expect(scan().bundles.map(\.identifier) == ["id.a", "id.b", "id.c"])
    }

    @Test func aFolderThatIsNotThereOrIsAnApplicationItselfIsFine() throws {
        try folder.good("App", "Share", identifier: "id")
        let registry = ExtensionRegistry.scan(["\(folder.path)/nowhere", "\(folder.path)/App.app/"])
        #expect(registry["id"] != nil)
        #expect(registry["none"] == nil)
        #expect(ExtensionRegistry.scan([]).bundles.isEmpty)
    }

    // MARK: Copies

    // spec: 5.1
    @Test func ofTwoCopiesTheFirstIsUsedAndTheOtherSaysWhichAndWhatToDo() throws {
        let first = try folder.good("A", "Share", identifier: "com.example.twice")
        let second = try folder.good("B", "Share", identifier: "com.example.twice")
        let registry = scan()
        #expect(registry["com.example.twice"]?.path == first)
        let loser = try #require(registry.bundles.first { $0.path == second })
        #expect(loser.problems.count == 1)
        #expect(loser.problems.first?.contains(first) == true)
        #expect(loser.problems.first?.contains("Remove") == true)
    }

    @Test func aBrokenCopyDoesNotStandInTheWayOfAGoodOne() throws {
        let broken = try folder.good("A", "Share", identifier: "com.example.twice")
        #expect(unlink("\(broken)/Share") == 0)
        let good = try folder.good("B", "Share", identifier: "com.example.twice")
        let bundle = try #require(scan()["com.example.twice"])
        #expect(bundle.path == good)
        #expect(bundle.problems == [])
    }

    @Test func anIdentifierWithBrokenCopiesOnlyIsFoundWithItsProblem() throws {
        let broken = try folder.good("A", "Share", identifier: "com.example.broken")
        #expect(unlink("\(broken)/Share") == 0)
        #expect(scan()["com.example.broken"]?.problems.isEmpty == false)
    }
}
