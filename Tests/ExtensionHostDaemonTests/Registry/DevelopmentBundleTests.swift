// DevelopmentBundle: what a connection may register by its path, with settings of its own, and what is wrong with the
// others.

import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem
import Testing

@Suite struct DevelopmentBundleTests {
    private let folder: ApplicationsFolder

    init() throws { folder = try ApplicationsFolder() }

    private func bundle(_ settings: String...) throws -> ExtensionBundle {
        let path = folder.path + "/Share.appex"
        try folder.write(
            path + "/Info.plist",
            ApplicationsFolder.plist(ApplicationsFolder.entries(identifier: "id.share", executable: "Share") + settings)
        )
        try folder.write(path + "/Share", "#!/bin/true\n", mode: 0o755)
        return try DevelopmentBundle.read(path)
    }

    @Test func anAppexWithoutAnAppMayHaveTimersAndLimitsOfItsOwn() throws {
        let read = try bundle(
            "<key>ExtensionHostTimers</key><dict><key>idle</key><string>50ms</string></dict>",
            "<key>ExtensionHostLimits</key><dict><key>memory</key><string>64MiB</string></dict>")
        #expect(
            read.problems == [] && read.executable == folder.path + "/Share.appex/Share" && read.containingApp == nil)
        #expect(read.timers == [.idle: .milliseconds(50)] && read.limits[.memory] == 64 << 20)
        _ = try OpenedBundle(read, outside: nil)
        // Another registration of it is another bundle.
        var registered = read
        registered.registration = 1
        #expect(registered != read && read.registration == nil && registered.timers == read.timers)
        #expect(registered.limits == read.limits && Set([read, registered, read]).count == 2)
    }

    @Test(arguments: [
        ("<key>ExtensionHostTimers</key><string>x</string>", "ExtensionHostTimers in Info.plist is not a dictionary"),
        ("<key>ExtensionHostTimers</key><dict><key>idle</key><string>soon</string></dict>", "ExtensionHostTimers.idle"),
        ("<key>ExtensionHostLimits</key><string>x</string>", "ExtensionHostLimits in Info.plist is not a dictionary"),
        ("<key>ExtensionHostLimits</key><dict><key>luck</key><integer>1</integer></dict>", "ExtensionHostLimits.luck"),
        (
            "<key>ExtensionHostLimits</key><dict><key>memory</key><string>much</string></dict>",
            "ExtensionHostLimits.memory"
        ),
    ])
    func aSettingThatIsNoneDisablesIt(_ setting: String, _ words: String) throws {
        let read = try bundle(setting)
        #expect(read.problems.count == 1 && read.problems[0].hasPrefix(words) && read.executable == nil)
        #expect(read.folder == read.path && read.identifier == "id.share")
    }

    @Test func aProgramIsAnExtensionOfItsName() throws {
        try folder.write(folder.path + "/My tool", "#!/bin/true\n", mode: 0o755)
        let tool = try DevelopmentBundle.read(folder.path + "/My tool")
        #expect(tool.identifier == "dev.My-tool" && tool.isProgram && tool.problems == [] && tool.folder == folder.path)
        _ = try OpenedBundle(tool, outside: nil)
        try folder.write(folder.path + "/text", "text")
        #expect(try DevelopmentBundle.read(folder.path + "/text").problems.first?.contains("chmod +x") == true)
    }

    @Test(arguments: ["relative", "/nowhere/at/all", "/dev/null", "/"])
    func whatIsNoExtensionIsRefusedWithARemedy(_ path: String) throws {
        let error = try #require(throws: ExtensionHostError.self) { try DevelopmentBundle.read(path) }
        #expect([.invalidArgument, .noSuchExtension].contains(error.code) && error.remedy?.isEmpty == false)
    }
}
