// PointDriver: the default session of `run` at an extension point that has a framework.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation

/// The options of `run` for single extension points that have no group of their own.
///
/// A group in a group would cost a debug build of the parser a fifth of a second at each start.
struct PointOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Notification service, notification content: the payload of the notification, as JSON with the key aps.",
            valueName: "file"),
        completion: .file())
    var push: String?

    @Flag(help: "Today: open the widget, show its live view, and close it. --interactive keeps it open until close.")
    var open = false

    @Option(
        help: ArgumentHelp(
            "Today: the platform whose sizes and display modes the Today view has, such as ios-8. Default ios-15.",
            valueName: "profile"))
    var profile: String?

    @Option(
        help: ArgumentHelp(
            "Keyboard: type these words on its keys, after --tap. --text is the field's text before. Content blocker: the type of the load, such as script. Document picker: the types, separated by commas. Spotlight import, Quick Look: the type of --file.",
            valueName: "words"))
    var type: String?

    @Flag(help: "Keyboard: the field is for a password, so the system's keyboard serves it.")
    var secure = false

    @Flag(
        name: .customLong("full-access"), help: "Keyboard: give it the consent fullAccess for the time of the session.")
    var fullAccess = false

    @Option(
        help: ArgumentHelp(
            "Photo editing: the photo to edit, a JPEG or PNG file, or a QuickTime video.", valueName: "file"),
        completion: .file())
    var photo: String?

    @Option(
        help: ArgumentHelp(
            "Photo editing, document picker, audio unit, Quick Look: the file to which the photo, the picked document, the WAV file, the thumbnail or the data of a preview is written.",
            valueName: "file"),
        completion: .file())
    var out: String?

    @Option(
        help: ArgumentHelp("Quick Look thumbnail: the longest side in points. Default 256.", valueName: "points"))
    var size: Double?

    @Option(help: ArgumentHelp("Quick Look thumbnail: the pixels of a point. Default 1.", valueName: "number"))
    var scale: Double?

    @Option(
        help: ArgumentHelp(
            "Photo editing: the adjustment data. An existing file is offered to the extension, with --out as the current state; the new data replaces it.",
            valueName: "file"),
        completion: .file())
    var adjustments: String?

    @Option(
        help: ArgumentHelp(
            "Content blocker: decide about the load of this URL by the page --page. Without it, the list is shown, or with --page-html the page.",
            valueName: "url"))
    var load: String?

    @Option(
        help: ArgumentHelp("Content blocker: the load is by the child frame with this document.", valueName: "url"))
    var frame: String?

    @Option(
        name: .customLong("identifier"),
        help: ArgumentHelp(
            "Spotlight index: ask for the item with this identifier again, not for all. Repeatable. Quick Look preview: the item to show.",
            valueName: "id"))
    var items: [String] = []

    @Option(
        help: ArgumentHelp(
            "Spotlight index and import: search for items with words that begin with these. Quick Look preview: the search that found the item.",
            valueName: "words"))
    var search: String?

    @Option(
        help: ArgumentHelp(
            "Spotlight index: search with a query of CSSearchQuery, such as 'title == \"fo*\"cd'.", valueName: "query"))
    var query: String?

    @Option(help: ArgumentHelp("File provider: list the items of a folder, such as /.", valueName: "path"))
    var ls: String?

    @Option(help: ArgumentHelp("File provider: print the contents of a file.", valueName: "path"))
    var cat: String?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "File provider: store a file of this machine. Give it twice: --put FILE --put PATH.", valueName: "path"))
    var put: [String] = []

    @Option(help: ArgumentHelp("File provider: the domain, which its app has added.", valueName: "id"))
    var domain: String?

    @Option(
        help: ArgumentHelp(
            "Document picker: import, open, export or move. export and move need --file. Default import.",
            valueName: "mode"))
    var mode: String?

    @Option(
        help: ArgumentHelp(
            "File provider actions: perform this action. Without it, the offered actions are listed. Notification content: choose this button; --text has the words of its text field.",
            valueName: "id"))
    var action: String?

    @Option(
        help: ArgumentHelp(
            "File provider actions: the selected items, a list of dictionaries with itemIdentifier as JSON or a property list.",
            valueName: "file"),
        completion: .file())
    var selection: String?

    @Option(
        help: ArgumentHelp(
            "Audio unit, broadcast: render, or broadcast, this WAV file: 16, 24 or 32 bits or float, 1 to 8 channels. Without it, an effect gets a second of sine.",
            valueName: "file"),
        completion: .file())
    var audio: String?

    @Option(
        help: ArgumentHelp(
            "Audio unit: set a parameter, by its identifier or name, before rendering. Repeatable.",
            valueName: "name=value"))
    var set: [String] = []

    @Option(help: ArgumentHelp("Audio unit: use the preset of this number, before --set.", valueName: "number"))
    var preset: Int?

    @Option(help: ArgumentHelp("Audio unit: the frames of a block, 1 to 4096. Default 512.", valueName: "frames"))
    var block: Int?

    @Option(
        help: ArgumentHelp(
            "Audio unit: play this Standard MIDI File on it. Without --audio, its length is the render's.",
            valueName: "file"),
        completion: .file())
    var midi: String?

    @Option(
        name: .customLong("option"),
        help: ArgumentHelp(
            "Packet tunnel, proxies: an option of the start, a text. Repeatable. Without one, the options are nil.",
            valueName: "key=value"))
    var startOptions: [String] = []

    @Option(
        help: ArgumentHelp(
            "Packet tunnel: send an IP packet into the tunnel, as hexadecimal digits, or all of a pcap file: @FILE. Repeatable. Without one, an echo request is sent.",
            valueName: "hex|@file"))
    var send: [String] = []

    @Option(
        help: ArgumentHelp("Packet tunnel: record the packets of both directions in a pcap file.", valueName: "file"),
        completion: .file())
    var pcap: String?

    @Option(
        name: .customLong("provider-configuration"),
        help: ArgumentHelp(
            "Packet tunnel, app proxy: the providerConfiguration, a dictionary as JSON or a property list.",
            valueName: "file"),
        completion: .file())
    var providerConfiguration: String?

    @Option(
        help: ArgumentHelp("Packet tunnel, app proxy: the serverAddress of the configuration.", valueName: "address"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "Packet tunnel, app proxy: a message of its app, as a text. Report: the text of a message, the oldest first. Repeatable.",
            valueName: "text"))
    var message: [String] = []

    @Flag(
        help:
            "Packet tunnel: run a command in a network whose only way out is the tunnel. Write it at the end: --tun -- COMMAND …"
    )
    var tun = false

    /// The options in use, each with its extension point.
    var given: [(option: String, point: String)] {
        var given: [(option: String, point: String)] = []
        if push != nil { given.append(("--push", NotificationDriver.point)) }
        if open { given.append(("--open", TodayDriver.point)) }
        if profile != nil { given.append(("--profile", TodayDriver.point)) }
        if load != nil { given.append(("--load", ContentBlockerDriver.point)) }
        if frame != nil { given.append(("--frame", ContentBlockerDriver.point)) }
        if let mode { given.append(("--mode \(mode)", DocumentPickerDriver.point)) }
        if action != nil { given.append(("--action", FileActionsDriver.point)) }
        if selection != nil { given.append(("--selection", FileActionsDriver.point)) }
        if type != nil {
            let other = mode != nil ? DocumentPickerDriver.point : KeyboardDriver.point
            given.append(("--type", load != nil ? ContentBlockerDriver.point : other))
        }
        for (option, isGiven) in [("--secure", secure), ("--full-access", fullAccess)] where isGiven {
            given.append((option, KeyboardDriver.point))
        }
        if photo != nil { given.append(("--photo", PhotoDriver.point)) }
        if out != nil { given.append(("--out", PhotoDriver.point)) }
        if size != nil { given.append(("--size", ThumbnailDriver.point)) }
        if scale != nil { given.append(("--scale", ThumbnailDriver.point)) }
        if adjustments != nil { given.append(("--adjustments", PhotoDriver.point)) }
        for (option, isGiven) in [
            ("--identifier", !items.isEmpty), ("--search", search != nil), ("--query", query != nil),
        ] where isGiven {
            given.append((option, SpotlightDriver.point))
        }
        for (option, isGiven) in [
            ("--ls", ls != nil), ("--cat", cat != nil), ("--put", !put.isEmpty), ("--domain", domain != nil),
        ] where isGiven {
            given.append((option, FileProviderDriver.point))
        }
        for (option, isGiven) in [
            ("--audio", audio != nil), ("--set", !set.isEmpty), ("--preset", preset != nil), ("--block", block != nil),
            ("--midi", midi != nil),
        ] where isGiven {
            given.append((option, AudioUnitDriver.point))
        }
        for (option, isGiven) in [
            ("--option", !startOptions.isEmpty), ("--send", !send.isEmpty), ("--pcap", pcap != nil),
            ("--provider-configuration", providerConfiguration != nil), ("--server", server != nil),
            ("--message", !message.isEmpty), ("--tun", tun),
        ] where isGiven {
            given.append((option, TunnelDriver.point))
        }
        return given
    }
}

extension RunCommand {
    /// The options for single extension points that are in use, each with its point.
    var pointOptions: [(option: String, point: String)] {
        var given = flows.ofFilters.filter { !points.tun || $0 != "-- COMMAND" }.map { ($0, FilterDriver.point) }
        if !messages.lookup.isEmpty { given.append(("--lookup", CallDirectoryDriver.point)) }
        given += messages.given.map { ($0, MessageFilterDriver.point) }
        given += messages.ofReports.map { ($0, ClassificationDriver.point) }
        given += intents.given.map { ($0, IntentsDriver.point) }
        given += intents.ofViews.map { ($0, IntentViewDriver.point) }
        given += credentials.given.map { ($0, CredentialDriver.point) }
        given += broadcasts.given.map { ($0, BroadcastDriver.point) }
        given += conversations.given.map { ($0, MessagesAppDriver.point) }
        return given + points.given
    }
}

/// The end of a driver's session.
struct PointReport: Sendable {
    let text: String
    /// The members of the JSON document.
    let json: [(name: String, value: JSON)]
    let status: Int32
}

/// A session of a host at one extension point.
protocol PointDriver: Sendable {
    static var point: String { get }
    /// Whether the extension has a view.
    static var showsView: Bool { get }
    /// The options of other points that act here, too, as `RunCommand.pointOptions` names them.
    static var sharedOptions: Set<String> { get }
    /// Whether one text of the payload is the session's own.
    static var takesText: Bool { get }
    /// Whether one file of the payload is the session's own.
    static var takesFile: Bool { get }
    /// Whether one web page of the payload is the session's own.
    static var takesPage: Bool { get }
    /// Whether the session shows the document of that page.
    static var takesDocument: Bool { get }
    /// The calls of a session that `explore` puts into other orders.
    ///
    /// - Throws: `ExtensionHostError`, `SystemError` if a file of them cannot be made.
    static var exploredCalls: [ExplorationCall] { get throws }
    /// The handlers of the extension's calls in `explore`.
    static var exploredHandlers: PointHandlers { get }

    /// - Parameter path: the path of an extension that is registered for this command.
    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws

    /// Runs the session.
    ///
    /// - Throws: errors of the host's calls.
    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport
}

extension PointDriver {
    static var sharedOptions: Set<String> { [] }
    static var takesText: Bool { false }
    static var takesFile: Bool { false }
    static var takesPage: Bool { false }
    static var takesDocument: Bool { false }
    static var exploredHandlers: PointHandlers { PointHandlers() }
}

enum PointDrivers {
    static let all: [any PointDriver.Type] = [
        AudioUnitDriver.self, AudioViewDriver.self, BroadcastDriver.self, BroadcastSetupDriver.self,
        CallDirectoryDriver.self, ClassificationDriver.self, ContentBlockerDriver.self,
        CredentialDriver.self, DNSProxyDriver.self, DocumentPickerDriver.self, FileActionsDriver.self,
        FileProviderDriver.self, FilterDriver.self, IntentsDriver.self, IntentViewDriver.self, KeyboardDriver.self,
        MessageFilterDriver.self, MessagesAppDriver.self, NotificationContentDriver.self,
        NotificationDriver.self, PhotoDriver.self, PreviewDriver.self, ProxyDriver.self, SharedLinksDriver.self,
        SpotlightDriver.self, SpotlightImportDriver.self, ThumbnailDriver.self, TodayDriver.self, TunnelDriver.self,
    ]

    /// Returns the driver for an extension; nil for an extension point without one.
    ///
    /// - Throws: `CommandError` for an option of another extension point, `ExtensionHostError` of the daemon.
    static func driver(
        _ identifier: String, _ path: String?, _ command: RunCommand, at address: DaemonAddress
    ) async throws -> (any PointDriver.Type)? {
        let point = try await ExtensionPointLookup.point(of: identifier, path, at: address)
        let driver = all.first { $0.point == point }
        let shared = driver?.sharedOptions ?? []
        if let wrong = command.pointOptions.first(where: { $0.point != point && !shared.contains($0.option) }) {
            throw CommandError.usage(
                "\(wrong.option) is for extensions of \(wrong.point), and \(identifier) belongs to \(point ?? "no known point")",
                remedy: "Omit \(wrong.option)")
        }
        return driver
    }
}

/// The extension point of an extension that the user names.
enum ExtensionPointLookup {
    /// Returns the extension point; nil if the daemon does not know the extension.
    ///
    /// - Parameter path: the path of an extension that is registered for one command.
    /// - Throws: `ExtensionHostError` of the daemon.
    static func point(of identifier: String, _ path: String?, at address: DaemonAddress) async throws -> String? {
        if let path {
            let information = (try? InputFile(path + "/Info.plist").propertyList())?.dictionary
            return information?["NSExtension"]?.dictionary?["NSExtensionPointIdentifier"]?.string
        }
        let control = try await DaemonControl.connect(name: "exthostctl", to: address)
        do {
            return try await control.show(identifier).record.point
        } catch let error as ExtensionHostError where error.code == .noSuchExtension {
            return nil
        }
    }
}
