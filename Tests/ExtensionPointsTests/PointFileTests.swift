// PointFileTests: what a file may say, and what each bad one is told.

import LinuxSystem
import PropertyListCoding
import Testing

@testable import ExtensionPoints

@Suite struct PointFileTests {
    // spec: P-411
    @Test func everyKeyCounts() throws {
        let point = try ExtensionPoint(
            file: PointFolder.document(
                """
                <key>Identifier</key><string>org.example.point</string><key>Name</key><string>Example</string>
                <key>Interface</key><true/><key>ProcessPolicy</key><string>onePerRequest</string>
                <key>Prewarm</key><integer>3</integer>
                <key>ActivationRules</key><true/>
                <key>Timers</key><dict><key>request</key><string>1500ms</string><key>idle</key><integer>7</integer>
                <key>launch</key><real>0.25</real></dict>
                <key>MemoryLimit</key><dict><key>Bytes</key><integer>16777216</integer>
                <key>Provenance</key><string>documented</string><key>Source</key><string>a page</string></dict>
                <key>OpenURL</key><string>containingApp</string><key>HostNotifications</key><false/>
                <key>Accepts</key><array><string>note.post</string></array>
                <key>Sends</key><array><string>note.done2</string></array>
                <key>CallLimits</key><dict><key>note.post</key><string>2s</string></dict>
                <key>Framework</key><string>Notes</string><key>Support</key><string>NoteSupport</string>
                <key>Source</key><string>ours</string>
                <key>Ends</key><string>note.post</string>
                <key>Consents</key><array><string>fullAccess</string></array>
                <key>Entitlement</key><dict><key>Key</key><string>org.example.right</string>
                <key>Value</key><string>some</string></dict>
                <key>Confinement</key><dict><key>Network</key><string>none</string>
                <key>GroupContainers</key><string>readOnly</string><key>Unless</key><dict>
                <key>Consent</key><string>fullAccess</string><key>Attribute</key><string>Asks</string></dict></dict>
                """))
        #expect(point.ends == "note.post" && point.consents == ["fullAccess"])
        #expect(point.entitlement == RequiredEntitlement(key: "org.example.right", value: "some"))
        #expect(point.confinement.network == .none && point.confinement.groupContainers == .readOnly)
        #expect(point.confinement.unless == .init(consent: "fullAccess", attribute: "Asks"))
        #expect(point.identifier == "org.example.point" && point.name == "Example" && point.source == "ours")
        #expect(point.hasInterface && point.processPolicy == .onePerRequest && point.takesActivationRules)
        #expect(point.prewarm == 3)
        #expect(
            point.timers
                == Timers().overridden(by: [
                    .request: .milliseconds(1500), .idle: .seconds(7), .launch: .milliseconds(250),
                ]))
        #expect(point.memoryLimit == MemoryLimit(bytes: 16 << 20, provenance: .documented, source: "a page"))
        #expect(point.urlPolicy == .containingApp && !point.hostNotifications)
        #expect(point.messages == ExtensionPoint.Messages(accepts: ["note.post"], sends: ["note.done2"]))
        #expect(point.callLimits == ["note.post": .seconds(2)])
        #expect(point.framework == "Notes" && point.support == "NoteSupport")
    }

    @Test func whatIsMissingTakesItsDefault() throws {
        let point = try ExtensionPoint(file: PointFolder.point("org.example.point"))
        #expect(point == ExtensionPoint(identifier: "org.example.point", hasInterface: false))
        #expect(point.name == "org.example.point" && point.urlPolicy == .never && point.hostNotifications)
    }

    // spec: P-124
    @Test(arguments: Timers.Name.allCases) func eachTimerCanBeSet(_ name: Timers.Name) throws {
        let timers = "<key>Timers</key><dict><key>\(name.rawValue)</key><string>1234ms</string></dict>"
        let point = try ExtensionPoint(file: PointFolder.point("p", timers))
        let others = try ExtensionPoint(file: PointFolder.point("p")).timers
        #expect(point.timers == others.overridden(by: [name: .milliseconds(1234)]) && point.timers != others)
    }

    @Test func aRequestsTimerCanBeOff() throws {
        let off = "<key>Timers</key><dict><key>request</key><string>off</string></dict>"
        #expect(try ExtensionPoint(file: PointFolder.point("p", off)).timers[.request] == nil)
    }

    @Test func aBinaryPropertyListIsAsGood() throws {
        let plist: PropertyList = ["Identifier": "org.example.point", "Interface": true]
        #expect(try ExtensionPoint(file: plist.encodeBinary()).hasInterface)
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        /// The key that is named; nil when it is the file.
        let key: String?
        var testDescription: String { name }

        init(_ name: String, _ bytes: [UInt8], key: String?) {
            self.name = name
            self.bytes = bytes
            self.key = key
        }

        /// A good point with one key more, or another value of it.
        init(_ name: String, with elements: String, key: String) {
            self.init(name, PointFolder.point("org.example.point", elements), key: key)
        }
    }

    private static let alone = "<key>ProcessPolicy</key><string>onePerRequest</string>"

    @Test(arguments: [0, 1, 16]) func asManyProcessesAreKeptWaitingAsAFileSays(_ count: Int) throws {
        let text = Self.alone + "<key>Prewarm</key><integer>\(count)</integer>"
        #expect(try ExtensionPoint(file: PointFolder.point("p", text)).prewarm == count)
        // None is what a shared process needs, too.
        if count == 0 {
            #expect(
                try ExtensionPoint(file: PointFolder.point("p", "<key>Prewarm</key><integer>0</integer>")).prewarm == 0)
        }
    }

    static let bad: [Bad] = [
        Bad("empty", [], key: nil), Bad("no property list", Array("hello".utf8), key: nil),
        Bad("half a document", Array(PointFolder.point("p").dropLast(9)), key: nil),
        Bad("truncated binary", Array("bplist00".utf8), key: nil),
        Bad(
            "too deep",
            PointFolder.document(
                String(repeating: "<key>a</key><dict>", count: 20) + String(repeating: "</dict>", count: 20)),
            key: nil),
        Bad(
            "too long",
            PointFolder.point("p", "<key>Name</key><string>" + String(repeating: "x", count: 70_000) + "</string>"),
            key: nil),
        Bad(
            "an entity",
            Array(
                #"<!DOCTYPE plist [<!ENTITY a "b">]><plist><dict><key>Identifier</key><string>&a;</string></dict></plist>"#
                    .utf8),
            key: nil),
        Bad("an array", Array("<plist><array/></plist>".utf8), key: nil),
        Bad("no identifier", PointFolder.document("<key>Interface</key><true/>"), key: "Identifier"),
        Bad(
            "an identifier that is a number", PointFolder.document("<key>Identifier</key><integer>1</integer>"),
            key: "Identifier"
        ),
        Bad("an identifier that is a path", PointFolder.point("../../etc/passwd"), key: "Identifier"),
        Bad("an identifier of dots", PointFolder.point("..p"), key: "Identifier"),
        Bad("an identifier with a space", PointFolder.point("a b"), key: "Identifier"),
        Bad("a long identifier", PointFolder.point(String(repeating: "a", count: 256)), key: "Identifier"),
        Bad("no interface", PointFolder.document("<key>Identifier</key><string>p</string>"), key: "Interface"),
        Bad(
            "an interface that is text",
            PointFolder.document("<key>Identifier</key><string>p</string><key>Interface</key><string>yes</string>"),
            key: "Interface"),
        Bad("a key twice", with: "<key>Interface</key><true/>", key: ""),
        Bad("a misspelt key", with: "<key>Timer</key><dict/>", key: "Timer"),
        Bad("no name", with: "<key>Name</key><string></string>", key: "Name"),
        Bad("a name that is a list", with: "<key>Name</key><array/>", key: "Name"),
        Bad("another policy", with: "<key>ProcessPolicy</key><string>forked</string>", key: "ProcessPolicy"),
        Bad("a policy in other letters", with: "<key>ProcessPolicy</key><string>Shared</string>", key: "ProcessPolicy"),
        Bad(
            "processes kept waiting where they are shared", with: "<key>Prewarm</key><integer>1</integer>",
            key: "Prewarm"),
        Bad("a negative number of processes", with: alone + "<key>Prewarm</key><integer>-1</integer>", key: "Prewarm"),
        Bad("too many processes", with: alone + "<key>Prewarm</key><integer>17</integer>", key: "Prewarm"),
        Bad("a number of processes that is text", with: alone + "<key>Prewarm</key><string>2</string>", key: "Prewarm"),
        Bad("a number of processes that is true", with: alone + "<key>Prewarm</key><true/>", key: "Prewarm"),
        Bad("half a process", with: alone + "<key>Prewarm</key><real>0.5</real>", key: "Prewarm"),
        Bad("rules that are a number", with: "<key>ActivationRules</key><integer>1</integer>", key: "ActivationRules"),
        Bad("timers that are a list", with: "<key>Timers</key><array/>", key: "Timers"),
        Bad(
            "a timer that is none", with: "<key>Timers</key><dict><key>lunch</key><string>1s</string></dict>",
            key: "Timers.lunch"
        ),
        Bad(
            "a timer without a number", with: "<key>Timers</key><dict><key>idle</key><string>soon</string></dict>",
            key: "Timers.idle"),
        Bad(
            "a negative timer", with: "<key>Timers</key><dict><key>idle</key><integer>-1</integer></dict>",
            key: "Timers.idle"),
        Bad(
            "an endless timer", with: "<key>Timers</key><dict><key>idle</key><string>25h</string></dict>",
            key: "Timers.idle"),
        Bad(
            "a timer that is no number", with: "<key>Timers</key><dict><key>idle</key><real>nan</real></dict>",
            key: "Timers.idle"
        ),
        Bad(
            "an enormous timer",
            with: "<key>Timers</key><dict><key>idle</key><integer>9223372036854775807</integer></dict>",
            key: "Timers.idle"),
        Bad(
            "another timer off", with: "<key>Timers</key><dict><key>idle</key><string>off</string></dict>",
            key: "Timers.idle"),
        Bad("a limit that is a number", with: "<key>MemoryLimit</key><integer>1</integer>", key: "MemoryLimit"),
        Bad("a limit without bytes", with: "<key>MemoryLimit</key><dict/>", key: "MemoryLimit.Bytes"),
        Bad(
            "a tiny limit", with: "<key>MemoryLimit</key><dict><key>Bytes</key><integer>120</integer></dict>",
            key: "MemoryLimit.Bytes"),
        Bad(
            "an enormous limit",
            with: "<key>MemoryLimit</key><dict><key>Bytes</key><integer>9223372036854775807</integer></dict>",
            key: "MemoryLimit.Bytes"),
        Bad(
            "a limit of unknown provenance",
            with: "<key>MemoryLimit</key><dict><key>Bytes</key><integer>1048576</integer></dict>",
            key: "MemoryLimit.Provenance"),
        Bad(
            "a limit by hearsay",
            with:
                "<key>MemoryLimit</key><dict><key>Bytes</key><integer>1048576</integer><key>Provenance</key><string>hearsay</string></dict>",
            key: "MemoryLimit.Provenance"),
        Bad(
            "a limit without source",
            with:
                "<key>MemoryLimit</key><dict><key>Bytes</key><integer>1048576</integer><key>Provenance</key><string>guess</string></dict>",
            key: "MemoryLimit.Source"),
        Bad(
            "another key in a limit",
            with:
                "<key>MemoryLimit</key><dict><key>Bytes</key><integer>1048576</integer><key>Provenance</key><string>guess</string><key>Source</key><string>x</string><key>Soft</key><true/></dict>",
            key: "MemoryLimit.Soft"),
        Bad("another URL policy", with: "<key>OpenURL</key><true/>", key: "OpenURL"),
        Bad(
            "notifications that are text", with: "<key>HostNotifications</key><string>no</string>",
            key: "HostNotifications"),
        Bad("messages that are text", with: "<key>Accepts</key><string>post</string>", key: "Accepts"),
        Bad(
            "a message that is a number", with: "<key>Accepts</key><array><integer>1</integer></array>", key: "Accepts"),
        Bad("a message with a space", with: "<key>Sends</key><array><string>a b</string></array>", key: "Sends"),
        Bad(
            "a call twice", with: "<key>Sends</key><array><string>a.b</string><string>a.b</string></array>",
            key: "Sends"
        ),
        Bad("a call without a point", with: "<key>Sends</key><array><string>a</string></array>", key: "Sends"),
        Bad(
            "a limit of an unlisted call", with: "<key>CallLimits</key><dict><key>a.b</key><string>2s</string></dict>",
            key: "CallLimits.a.b"),
        Bad("an end by no call", with: "<key>Ends</key><string>a.b</string>", key: "Ends"),
        Bad("a consent of two words", with: "<key>Consents</key><array><string>a b</string></array>", key: "Consents"),
        Bad("an entitlement without a key", with: "<key>Entitlement</key><dict/>", key: "Entitlement.Key"),
        Bad(
            "another network", with: "<key>Confinement</key><dict><key>Network</key><string>all</string></dict>",
            key: "Confinement.Network"),
        Bad(
            "an exception without a condition", with: "<key>Confinement</key><dict><key>Unless</key><dict/></dict>",
            key: "Confinement.Unless"),
        Bad(
            "an exception by an unlisted consent",
            with:
                "<key>Confinement</key><dict><key>Unless</key><dict><key>Consent</key><string>a</string></dict></dict>",
            key: "Confinement.Unless.Consent"),
        Bad(
            "too many messages",
            with: "<key>Sends</key><array>" + (0..<65).map { "<string>a.m\($0)</string>" }.joined() + "</array>",
            key: "Sends"),
    ]

    // spec: P-412
    @Test(arguments: bad)
    func aBadFileDisablesItselfOnlyAndSaysWhy(_ bad: Bad) throws {
        let folder = try PointFolder()
        let path = try folder.write("bad.plist", bad.bytes)
        try folder.write("good.plist", PointFolder.point("org.example.good"))
        let table = PointTable(folders: [folder.path])
        #expect(table[declared: "org.example.good"] != nil)
        #expect(table.points.count == PointTable.builtIn.count + 1)
        let file = try #require(table.badFiles.first)
        #expect(table.badFiles.count == 1 && file.path == path)
        if let key = bad.key, !key.isEmpty { #expect(file.problem.hasPrefix(key + " "), "\(file.problem)") }
        #expect(file.problem.contains(". "), "a remedy follows: \(file.problem)")
    }

    @Test func anExceptionNeedsBothOfItsConditions() {
        var confinement = PointConfinement()
        confinement.network = .none
        #expect(confinement.applied(["a"], ["b": true]) == confinement, "there is no exception")
        confinement.unless = .init(consent: "a", attribute: "b")
        #expect(confinement.applied(["a"], ["b": true]) == PointConfinement())
        #expect(confinement.applied([], ["b": true]) == confinement)
        #expect(confinement.applied(["a"], ["b": false]) == confinement)
        #expect(confinement.applied(["a"], [:]) == confinement)
        confinement.unless = .init(consent: "a", attribute: nil)
        #expect(confinement.applied(["a"], [:]) == PointConfinement())
    }

    @Test func aRequiredEntitlementIsOneOfSeveralValuesOrAnyButFalse() {
        let any = RequiredEntitlement(key: "k", value: nil)
        #expect(any.isHeld(in: ["k": true]) && any.isHeld(in: ["k": "x"]))
        #expect(!any.isHeld(in: [:]) && !any.isHeld(in: ["k": false]))
        let one = RequiredEntitlement(key: "k", value: "x")
        #expect(one.isHeld(in: ["k": "x"]) && one.isHeld(in: ["k": ["w", "x"]]))
        #expect(!one.isHeld(in: ["k": true]) && !one.isHeld(in: ["k": ["w"]]) && !one.isHeld(in: [:]))
    }
}
