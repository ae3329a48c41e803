// ResourceLimitsTests: limits as people write them, and which source of one counts.

import PropertyListCoding
import Testing

@testable import ExtensionPoints

@Suite struct ResourceLimitsTests {
    private typealias Name = ResourceLimits.Name
    private typealias Setting = ResourceLimits.Setting

    @Test(arguments: [
        ("memory", "64MiB", 64 << 20), ("memory", "64M", 64 << 20), ("memory", "1048576", 1 << 20),
        ("memory", "1TiB", 1 << 40),
        ("output", "64KiB", 64 << 10), ("cpu", "30s", 30_000), ("cpu", "500ms", 500), ("cpu", "2", 2000),
        ("tasks", "64", 64),
        ("descriptors", "256", 256),
    ])
    func whatIsWrittenIsRead(_ name: String, _ text: String, _ value: Int) throws {
        let name = try #require(Name(rawValue: name))
        #expect(Setting(name, written: text) == .limit(value))
        #expect(Setting(name, setting: .string(text)) == .limit(value))
        #expect(Setting(name, written: "off") == .off)
    }

    @Test(arguments: [
        ("memory", ""), ("memory", "MiB"), ("memory", "-1"), ("memory", "1023K"), ("memory", "2TiB"),
        ("memory", "64 MiB"),
        ("memory", "9223372036854775807T"), ("memory", "64mb"), ("memory", "1e9"), ("cpu", "9ms"), ("cpu", "25h"),
        ("cpu", "soon"),
        ("tasks", "0"), ("tasks", "65537"), ("tasks", "8K"), ("descriptors", "15"), ("output", "1023"),
        ("output", "0.5MiB"),
    ])
    func whatIsNoneIsRefused(_ name: String, _ text: String) throws {
        let name = try #require(Name(rawValue: name))
        #expect(Setting(name, written: text) == nil)
        #expect(Setting(name, setting: .string(text)) == nil)
    }

    @Test func propertyListsHaveNumbersToo() {
        #expect(Setting(.memory, setting: .integer(1 << 30)) == .limit(1 << 30))
        #expect(Setting(.cpu, setting: .integer(3)) == .limit(3000))
        #expect(Setting(.cpu, setting: .real(1.5)) == .limit(1500))
        for bad in [PropertyList.integer(-1), .real(1e300), .boolean(true), .array([]), .integer(.max)] {
            for name in Name.allCases { #expect(Setting(name, setting: bad) == nil, "\(name)") }
        }
    }

    @Test func aNearerSourceCountsAndOffIsAWord() {
        let far = ResourceLimits([.memory: .limit(1), .cpu: .limit(2)])
        let near = ResourceLimits([.memory: .off, .tasks: .limit(3)])
        let both = far.overridden(by: near)
        #expect(both[.memory] == nil && both[.cpu] == 2 && both[.tasks] == 3 && both[.output] == nil)
        #expect(!both.isEmpty && ResourceLimits([.memory: .off]).isEmpty && ResourceLimits().isEmpty)
    }

    // spec: P-530
    @Test func aBuiltInFigureActsWhereAProfileIsChosenAndAUsersFileAlways() throws {
        let table = PointTable()
        let share = table["com.apple.share-services"]
        #expect(share.limits(in: nil).isEmpty)
        let profile = try #require(PlatformProfile.named("ios-8"))
        #expect(share.limits(in: profile)[.memory] == share.memoryLimit?.bytes, "the profile has no figure of its own")
        #expect(table["com.apple.keyboard-service"].limits(in: PlatformProfile.named("ipados-26"))[.memory] == 90 << 20)
        #expect(table["org.example.undeclared"].limits(in: profile).isEmpty)
        var mine = try ExtensionPoint(
            file: PointFolder.document(
                """
                <key>Identifier</key><string>org.example.point</string><key>Interface</key><true/>
                <key>MemoryLimit</key><dict><key>Bytes</key><integer>16777216</integer>
                <key>Provenance</key><string>guess</string><key>Source</key><string>me</string></dict>
                <key>Limits</key><dict><key>tasks</key><integer>9</integer><key>cpu</key><string>1min</string></dict>
                """))
        mine.path = "/somewhere.plist"
        #expect(mine.limits(in: nil)[.memory] == 16 << 20)
        #expect(mine.limits(in: nil)[.tasks] == 9 && mine.limits(in: profile)[.cpu] == 60_000)
    }

    @Test(arguments: [
        ("<key>tasks</key><integer>0</integer>", "Limits.tasks"),
        ("<key>task</key><integer>5</integer>", "Limits.task"),
        ("<key>memory</key><string>much</string>", "Limits.memory"),
    ])
    func aLimitThatIsNoneIsAFaultOfThePoint(_ limits: String, _ key: String) {
        let error = #expect(throws: PointError.self) {
            try ExtensionPoint(
                file: PointFolder.document(
                    """
                    <key>Identifier</key><string>org.example.point</string><key>Interface</key><true/>
                    <key>Limits</key><dict>\(limits)</dict>
                    """))
        }
        #expect(error?.key == key)
    }
}
