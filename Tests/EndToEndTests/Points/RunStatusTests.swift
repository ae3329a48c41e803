// RunStatusTests: `exthostctl run` makes a session at each extension point with a framework, and exits with its outcome.

import ExtensionHostTesting
import ExtensionPoints
import ExtensionProtocol
import Foundation
import ImageCodecs
import LinuxSystem
import TestPrograms
import Testing

@Suite struct RunStatusTests {
    /// An extension of a point, and the ways in which its session ends.
    private struct Session: Sendable {
        let program: String
        let principalClass: String
        /// The options of `run`, with `PHOTO` for the path of a JPEG file, `TEXT` for that of a file
        /// with the act, and `ACT` for the act.
        var options: [String] = []
        /// The end, by the author's act: the exit status and the beginning of the output.
        let ends: [(act: String, status: Int32, headline: String)]
    }

    private static let sessions: [String: Session] = [
        "com.apple.widget-extension": Session(
            program: "Widget", principalClass: "TodayViewController",
            ends: [
                ("", 0, "newData: "), ("noData", 0, "noData: "), ("failed", 1, "failed: "), ("drop", 1, "failed: "),
                ("die", OutcomeKind.interrupted.exitStatus, "failed: "),
            ]),
        "com.apple.usernotifications.service": Session(
            program: "Notifier", principalClass: "NotificationService",
            ends: [
                ("", 0, "changed: "), ("empty", 1, "original, "), ("drop", 1, "original, "),
                ("exit", Cause.exitedEarly.outcome.exitStatus, "original, "),
            ]),
        "com.apple.usernotifications.content-extension": Session(
            program: "Notice", principalClass: "NoticeController", options: ["--action", "ACT"],
            ends: [
                ("dismiss", 0, "dismissed: "), ("forward", 0, "forwarded: "), ("drop", 1, "failed: "),
                ("die", OutcomeKind.interrupted.exitStatus, "ended: "),
            ]),
        "com.apple.keyboard-service": Session(
            program: "Typist", principalClass: "TypistViewController", options: ["--tap", "ACT"],
            ends: [
                ("a", 0, "typed: "), ("no such key", 1, "typed: "),
                ("die", Cause.exitedEarly.outcome.exitStatus, "typed: "),
            ]),
        "com.apple.photo-editing": Session(
            program: "Darkroom", principalClass: "EditingController", options: ["--photo", "PHOTO"],
            ends: [
                ("nothing", 0, "nothing to save: "), ("noRendering", 1, "refused: "),
                ("dieInFinish", OutcomeKind.interrupted.exitStatus, "failed: "),
            ]),
        "com.apple.broadcast-services-upload": Session(
            program: "Broadcaster", principalClass: "Broadcaster", options: ["--setup-info", "act=ACT"],
            ends: [
                ("", 0, "finished: "), ("fail", 1, "failed: "),
                ("die", OutcomeKind.interrupted.exitStatus, "ended: "),
            ]),
        "com.apple.broadcast-services-setupui": Session(
            program: "Broadcaster", principalClass: "Setter", options: ["--tap", "ACT"],
            ends: [
                ("Good", 0, "completed: "), ("Cancel", OutcomeKind.cancelled.exitStatus, "cancelled: "),
                ("Fail", OutcomeKind.cancelled.exitStatus, "failed: "),
                ("Die", OutcomeKind.interrupted.exitStatus, "ended: "),
            ]),
        "com.apple.fileprovider-ui": Session(
            program: "Picker", principalClass: "PickerController", options: ["--mode", "import", "--tap", "ACT"],
            ends: [
                ("note", 0, "picked: "), ("fifo", 1, "refused: "),
                ("nothing", OutcomeKind.cancelled.exitStatus, "cancelled: "),
                ("die", OutcomeKind.interrupted.exitStatus, "ended: "),
            ]),
        "com.apple.fileprovider-nonui": Session(
            program: "Provider", principalClass: "Replicated", options: ["--cat", "ACT"],
            ends: [("/a.txt", 0, "alpha"), ("/nowhere", 1, "failed: "), ("/Folder", 1, "failed: ")]),
        "com.apple.fileprovider-actionsui": Session(
            program: "Picker", principalClass: "ActionController", options: ["--action", "single", "--tap", "ACT"],
            ends: [
                ("done", 0, "completed: "), ("cancel", OutcomeKind.cancelled.exitStatus, "cancelled: "),
                ("die", OutcomeKind.interrupted.exitStatus, "ended: "),
            ]),
        "com.apple.AudioUnit": Session(
            program: "Soundbox", principalClass: "SoundboxFactory", options: ["--set", "a=2"],
            ends: [
                ("thru", 0, "rendered: "),
                ("dies", OutcomeKind.interrupted.exitStatus, "failed with status -10863: "),
            ]),
        "com.apple.AudioUnit-UI": Session(
            program: "Soundbox", principalClass: "SoundboxController", options: ["--set", "a=2"],
            ends: [
                ("thru", 0, "rendered: "),
                ("dies", OutcomeKind.interrupted.exitStatus, "failed with status -10863: "),
            ]),
        "com.apple.networkextension.packet-tunnel": Session(
            program: "Tunnel", principalClass: "Tunnel", options: ["--option", "do=ACT"],
            ends: [
                ("echo", 0, "started: "), ("fail", 1, "not started: "),
                ("die", Cause.exitedEarly.outcome.exitStatus, "not started: "),
                ("dieAtPacket", Cause.exitedEarly.outcome.exitStatus, "ended: "),
                ("dieAtStop", Cause.exitedEarly.outcome.exitStatus, "ended: "),
                ("cancelAtPacket", 1, "ended: "),
            ]),
        "com.apple.authentication-services-credential-provider-ui": Session(
            program: "Credentials", principalClass: "CredentialController", options: ["--identity", "ACT"],
            ends: [
                ("ada", 0, "provided: "), ("unknown", OutcomeKind.cancelled.exitStatus, "cancelled: "),
                ("nothing", 0, "completed: "), ("die", Cause.exitedEarly.outcome.exitStatus, "ended: "),
            ]),
        "com.apple.callkit.call-directory": Session(
            program: "CallDirectory", principalClass: "CallDirectory", options: ["--lookup", "1"],
            ends: [
                ("block 1", 0, "loaded: "), ("block 2 1", 1, "not loaded, entriesOutOfOrder (3)"),
                ("die", Cause.exitedEarly.outcome.exitStatus, "not loaded, loadingInterrupted (2)"),
            ]),
        "com.apple.identitylookup.message-filter": Session(
            program: "MessageFilter", principalClass: "MessageFilter", options: ["--sms", "ACT"],
            ends: [
                ("action 2 0", 0, "junk: "), ("other", 0, "none: "), ("drop", 1, "none, "),
                ("die", Cause.exitedEarly.outcome.exitStatus, "none, "),
            ]),
        "com.apple.identitylookup.classification-ui": Session(
            program: "Reporter", principalClass: "Reporter", options: ["--message", "ACT", "--done"],
            ends: [
                ("report 2", 0, "reported: "), ("report 0", 0, "nothing: "),
                ("large 2", OutcomeKind.interrupted.exitStatus, "ended: "),
                ("die 2", OutcomeKind.interrupted.exitStatus, "ended: "),
            ]),
        "com.apple.message-payload-provider": Session(
            program: "Chatter", principalClass: "Chatter", options: ["--tap", "ACT"],
            ends: [
                ("insert", 0, "opened: "), ("dismiss", 0, "dismissed: "),
                ("die", OutcomeKind.interrupted.exitStatus, "ended: "),
            ]),
        "com.apple.quicklook.preview": Session(
            program: "Looker", principalClass: "Controller", options: ["--file", "TEXT"],
            ends: [
                ("words", 0, "opened: "), ("throw", 1, "failed: "),
                ("die", Cause.exitedEarly.outcome.exitStatus, "ended: "),
            ]),
        "com.apple.quicklook.thumbnail": Session(
            program: "Looker", principalClass: "Thumbnails", options: ["--file", "TEXT"],
            ends: [
                ("words", 0, "made: "), ("throw", 1, "failed, NSCocoaErrorDomain 259"), ("nothing", 1, "nothing, "),
                ("die", Cause.exitedEarly.outcome.exitStatus, "ended, "),
            ]),
        "com.apple.spotlight.import": Session(
            program: "Importer", principalClass: "Importer", options: ["--file", "TEXT"],
            ends: [
                ("Title", 0, "imported: "), ("throw", 1, "failed, NSCocoaErrorDomain 259"),
                ("die", OutcomeKind.interrupted.exitStatus, "ended, "),
            ]),
        "com.apple.intents-service": Session(
            program: "Assistant", principalClass: "Assistant",
            options: ["--param", "recipients=Anna", "--param", "content=ACT"],
            ends: [
                ("other", 0, "handled: "), ("fail", 1, "failed, "), ("drop", 1, "handlerDropped, "),
                ("die", Cause.exitedEarly.outcome.exitStatus, "ended, "),
            ]),
        "com.apple.intents-ui-service": Session(
            program: "IntentViews", principalClass: "ParameterView",
            options: ["--param", "recipients=Anna", "--param", "content=ACT"],
            ends: [
                ("other", 0, "opened: "), ("none", 0, "hidden: "), ("drop", 1, "handlerDropped, "),
                ("many", 1, "failed, "), ("die", Cause.exitedEarly.outcome.exitStatus, "ended, "),
            ]),
        "com.apple.spotlight.index": Session(
            program: "Indexer", principalClass: "Indexer",
            ends: [
                ("put a Title", 0, "indexed: "), ("drop", 1, "not indexed, "),
                ("kill", OutcomeKind.interrupted.exitStatus, "not indexed, "),
            ]),
    ]

    // spec: PC-23
    @Test("PC-23: run makes a complete session at each point with a framework, and exits with its status")
    func eachPointHasASession() async throws {
        let points = PointTable().points.filter { $0.framework != nil }.map(\.identifier)
        // FilterToolTests and ProxyToolTests have the sessions with flows. A control provider has none of its own.
        let flows = ["filter-data", "filter-control", "app-proxy", "dns-proxy"].map {
            "com.apple.networkextension.\($0)"
        }
        #expect(Set(Self.sessions.keys) == Set(points).subtracting(flows))
        for (point, session) in Self.sessions {
            for end in session.ends {
                let ending = try await Self.run(point, session, end.act)
                #expect(
                    ending.status == end.status && ending.output.hasPrefix(end.headline),
                    "\(point) \(end.act): \(ending)")
            }
        }
    }

    private static func run(_ point: String, _ session: Session, _ act: String) async throws -> Program.Ending {
        let bundles = try TestBundles()
        var information: [String: Any] = ["TestWish": session.program == "Picker" ? "" : act]
        if session.program == "Soundbox" {
            information["NSExtension"] = AudioStage.declaration(
                act, point: point, principalClass: "\(session.program).\(session.principalClass)")
        }
        if session.program == "Looker" {
            information["NSExtension"] = QuickLookStage.declaration(session.principalClass, point: point)
        }
        if session.program == "Importer" {
            information["NSExtension"] = ImportTests.declaration(session.principalClass)
        }
        if session.program == "Notice" {
            information["NSExtension"] = [
                "NSExtensionPointIdentifier": point,
                "NSExtensionPrincipalClass": "\(session.program).\(session.principalClass)",
                "NSExtensionAttributes": ["UNNotificationExtensionCategory": "news"],
            ]
        }
        if session.program == "Reporter" {
            information["NSExtension"] = [
                "NSExtensionPointIdentifier": point,
                "NSExtensionPrincipalClass": "\(session.program).\(session.principalClass)",
                "NSExtensionAttributes": ["ILClassificationExtensionSMSReportDestination": "7726"],
            ]
        }
        if ["Assistant", "IntentViews"].contains(session.program) {
            information["NSExtension"] = [
                "NSExtensionPointIdentifier": point,
                "NSExtensionPrincipalClass": "\(session.program).\(session.principalClass)",
                "NSExtensionAttributes": ["IntentsSupported": ["INSendMessageIntent"]],
            ]
        }
        if session.program == "Picker" {
            information["NSExtension"] = [
                "NSExtensionPointIdentifier": point,
                "NSExtensionPrincipalClass": "\(session.program).\(session.principalClass)",
                "NSExtensionAttributes": ["UIDocumentPickerModes": ["UIDocumentPickerModeImport"]],
                "NSExtensionFileProviderActions": FileActionsTests.declared,
            ]
        }
        try bundles.add(
            "subject", program: SampleApplications.buildFolder + "/" + session.program, point: point,
            principalClass: "\(session.program).\(session.principalClass)", rule: nil,
            information: information)
        let photo = bundles.path + "/photo.jpg"
        let pixels = try Pixels(width: 8, height: 8, copying: [UInt8](repeating: 255, count: 256))
        try Data(try ImageCodec.encode(pixels, as: .jpeg)).write(to: URL(fileURLWithPath: photo))
        if session.program == "Tunnel" { try TunnelStage.entitle(bundles, "subject") }
        let text = bundles.path + "/act.txt"
        try Data(act.utf8).write(to: URL(fileURLWithPath: text))
        let words = [
            "PHOTO": photo, "TEXT": text, "ACT": act, "do=ACT": "do=\(act)", "act=ACT": "act=\(act)",
            "content=ACT": "content=\(act)",
        ]
        var arguments = ["run", "org.exthost.tests.subject"] + session.options.map { words[$0] ?? $0 }
        if session.program == "Notifier", !act.isEmpty {
            let payload = bundles.path + "/payload.json"
            try Data(#"{"aps": {"alert": "hello", "mutable-content": 1}, "act": "\#(act)"}"#.utf8)
                .write(to: URL(fileURLWithPath: payload))
            arguments += ["--push", payload]
        }
        return try await withTestDaemon(applications: [bundles.path]) { daemon in
            try await Program.run(
                SampleApplications.buildFolder + "/exthostctl", arguments, socket: daemon.address.path
            ).ending()
        }
    }
}
