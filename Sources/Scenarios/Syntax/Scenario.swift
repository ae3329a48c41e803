// Scenario: the content of a scenario file, checked as far as possible without running anything (docs/scenarios.md).

public import ExtensionProtocol

/// A file of tests of one extension.
public struct Scenario: Sendable, Hashable {
    public enum Clock: String, Sendable, Hashable, CaseIterable {
        case virtual, real
    }

    /// The extension under test: an identifier or a path, and the chosen one if there are several.
    public struct Subject: Sendable, Hashable {
        public var name: String
        public var chosen: String?

        public init(name: String, chosen: String? = nil) {
            self.name = name
            self.chosen = chosen
        }
    }

    public var subject: Subject?
    public var clock = Clock.virtual
    /// The real time that a line waits for what is due.
    public var limit = Duration.seconds(10)
    /// Folders of apps besides the extension's own.
    public var applications: [String] = []
    /// Additional options of `exthostd`.
    public var daemonOptions: [String] = []
    public var tests: [ScenarioTest] = []

    public init() {}

    /// Whether background transfers get the answers of lines, in place of those of servers.
    var hasScriptedTransfers: Bool {
        let options = daemonOptions.flatMap { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        guard let place = options.lastIndex(of: "--transfers"), place + 1 < options.count else {
            return clock == .virtual
        }
        return options[place + 1] == "scripted"
    }
}

/// One test: lines that run in turn.
public struct ScenarioTest: Sendable, Hashable {
    public let name: String
    /// The line, counted from 1.
    public let line: Int
    public internal(set) var steps: [ScenarioStep] = []
}

/// One line of a test.
public struct ScenarioStep: Sendable, Hashable {
    public let line: Int
    /// The text of the line in the file.
    public let text: String
    public let act: ScenarioAct
}

/// The action of a line.
///
/// A request's or host's name is nil if the line names none: the request that was begun last, and its host.
public enum ScenarioAct: Sendable, Hashable {
    case begin(ScenarioRequest)
    case host(HostStateName, of: String?)
    case advance(Duration)
    case cancel(String?)
    case disconnect(String?)
    /// A signal from another process, like the signal of a crash.
    case kill(String?, signal: Int32)
    /// A fault for whichever extension reaches the point.
    case fault(FaultOrder)
    case view(SheetAct, of: String?)
    case wait(EventPattern, within: Duration?)
    /// A step of the system's app at an extension point with a framework.
    case point(PointStep)
    /// An answer of a pretended server to background transfers.
    case answer(ScenarioAnswer)
    /// Reserves the events of a background session for a side.
    case deliver(session: String, to: TransferSide)
    case expect(ScenarioExpectation, of: String?)
}

/// A request that a test begins.
public struct ScenarioRequest: Sendable, Hashable {
    /// The name by which later lines refer to the request.
    public var name: String?
    public var parts: [LocatedPart] = []
    public var timeout: Duration?
    public var host = ScenarioRequest.usualHost
    public var force = false
    /// Whether the line is done when the extension has the request; otherwise it is done at once.
    public var waitsForDelivery = true

    public static let usualHost = "host"

    /// A part of the payload and the column of its option.
    public struct LocatedPart: Sendable, Hashable {
        public let part: PayloadPart
        public let column: Int
    }
}

/// A step at an extension point with a framework.
public enum PointStep: Sendable, Hashable {
    /// Today: asks the widget for an update.
    case update
    /// Today: shows the widget's live view.
    case open
    case close
    /// Today: changes the display mode.
    case toggle
    /// Notification service: the path of a payload, or the payload itself.
    case push(String, isInline: Bool)
    /// Photo editing: begins an edit of a photo, named by its path.
    case edit(String)
    /// Photo editing: asks for the result of the edit.
    case finish
    /// Photo editing: cancels the edit. The person goes on if the extension wants a confirmation and `goesOn` is set.
    case discard(goesOn: Bool)
    /// Photo editing: drops the edits of the last photo.
    case revert
    case keyboard(KeyboardStep)
    /// Content blocker: decides about a load of a page, or of a child frame in it. The type is a name of
    /// `resource-type`.
    case load(url: String, page: String?, frame: String?, type: String?)
    /// Spotlight index: asks for items again: for all, or for those with these identifiers.
    case reindex([String])
    /// Spotlight index: searches for words, or with a query.
    case search(String, isQuery: Bool)
    /// Spotlight import: imports the attributes of a file.
    case importFile(String, type: String?)
    /// Quick Look thumbnail: makes the thumbnail of a file, of a size in points.
    case thumbnail(String, size: Double)
    /// Quick Look preview: shows a file, an item, or nothing any more.
    case preview(PreviewStep)
    /// iMessage app: a step of the conversation.
    case conversation(MessagesStep)
    /// Document picker: begins a session in a mode, `import`, `open`, `exportToService` or `moveToService`, with the
    /// host's types or the path of its file.
    case pick(mode: String, types: [String], file: String?)
    /// File provider actions: performs an action on the items of a file, or on one item.
    case action(String, items: String?)
    /// File provider: does something with the file or folder at a path.
    case files(FilesStep)
    /// Audio unit: does something with the test's unit.
    case audio(AudioStep)
    /// Packet tunnel: does something with the tunnel.
    case tunnel(TunnelStep)
    /// Network filter: asks about a flow and its bytes.
    case flow(FlowStep)
    /// Notification content: does something with a notification that the extension shows.
    case notification(NotificationStep)
    /// App proxy, DNS proxy: does something with the proxy.
    case proxy(ProxyStep)
    /// Call directory: loads it.
    case reload
    /// Call directory: looks a number up, and loads the directory first if it is not loaded.
    case lookup(String)
    /// Intents: performs an intent.
    case intent(IntentStep)
    /// Credential provider: asks for a credential of a service, of a user if one is named.
    case credential(service: String, user: String?)
    /// Credential provider: shows its configuration.
    case credentialConfiguration
    /// Broadcast: does something with an upload.
    case broadcast(BroadcastStep)
    /// Broadcast: shows the view of a set-up.
    case setup
    /// Message filter: asks about a message. The server's answer is a path.
    case sms(String, sender: String?, answer: String?)
    /// Unwanted communication reporting: does something with a report.
    case report(ReportStep)
    /// Shares a page with the extension, whose script runs in it: the address, and the path of its HTML.
    case page(address: String, file: String)
}

/// A step with the files of a provider.
public enum FilesStep: Sendable, Hashable {
    /// Lists a folder.
    case list(String)
    /// Reads a file.
    case read(String)
    /// Stores a file of this machine at a path.
    case put(file: String, path: String)
    /// Deletes an item.
    case remove(String)
}

/// A step with an iMessage app and its conversation.
public enum MessagesStep: Sendable, Hashable {
    /// Opens the app, with a style and the number of the selected entry.
    case open(style: String?, selecting: Int?)
    /// Lets a message of the other participant's come.
    case receive(String, isLive: Bool)
    /// Selects a message of the transcript by its number.
    case select(Int)
    /// Sends what is in the input field, or removes the message there.
    case send, cancel
    /// Makes the view `compact` or `expanded`.
    case show(String)
    /// Waits until the conversation has all that the app has given it.
    case look
    /// Closes the app.
    case close
}

/// A step with a preview.
public enum PreviewStep: Sendable, Hashable {
    /// Shows a file.
    case file(String)
    /// Shows an item of the index.
    case item(String, query: String?)
    /// Ends the preview.
    case close
}

/// A step with an audio unit.
public enum AudioStep: Sendable, Hashable {
    /// Sets a parameter to a number, or to the name of one of its values.
    case set(String, value: String)
    /// Uses a preset of the factory.
    case preset(Int)
    /// Renders a WAV file, or a second of sine.
    case render(String?)
    /// Plays a MIDI file.
    case play(String)
}

/// A step with a broadcast.
public enum BroadcastStep: Sendable, Hashable {
    /// Starts it; each entry of the set-up's dictionary is KEY=VALUE.
    case start([String])
    /// Plays files, whose paths are relative to the scenario.
    case play(video: String, sound: String?)
    case pause
    case resume
    /// Names the application that is broadcast.
    case annotate(String)
    case finish
}

/// A step with a packet tunnel.
public enum TunnelStep: Sendable, Hashable {
    /// Starts it, with options KEY=VALUE.
    case start([String])
    case stop
    /// Sends a packet, as hexadecimal digits, or those of a pcap file: @FILE.
    case send(String)
    /// Sends a message of its app.
    case message(String)
}

/// A flow that a network filter decides about.
public struct FlowStep: Sendable, Hashable {
    /// The URL of a browser's load, or `tcp:HOST:PORT`.
    public var url: String
    /// The file with the bytes to the program, and the one with those from it.
    public var inbound, outbound: String?
    /// The control provider, which the first flow of a test names.
    public var control: String?
}

/// A step with a report of messages or calls.
public enum ReportStep: Sendable, Hashable {
    /// Reports messages of one sender, the oldest first.
    case messages([String], sender: String?)
    /// Reports a telephone call.
    case call(sender: String?)
    /// Presses the host's button Done.
    case done
    /// Presses the host's button Cancel.
    case cancel
}

/// A step with a notification that an extension shows.
public enum NotificationStep: Sendable, Hashable {
    /// Shows a notification, or gives the open one another of its thread: the path of a payload, or the payload itself.
    case show(String, isInline: Bool)
    /// Chooses a button, with the words of its text field.
    case respond(String, text: String?)
    /// Presses the system's button for media.
    case media
    /// Takes the notification away.
    case dismiss
}

/// A step with an app proxy or a DNS proxy.
public enum ProxyStep: Sendable, Hashable {
    /// Starts it, with options KEY=VALUE.
    case start([String])
    case stop
    /// Sends a message of its app.
    case message(String)
    /// Offers a flow to a place, and sends texts, or the bytes of a file: @FILE.
    case flow(isDatagrams: Bool, host: String, port: Int, sent: [String])
    /// Asks for the addresses of a name, of IPv6 or of IPv4.
    case resolve(String, isIPv6: Bool)
}

/// A step of a person at a text field.
public enum KeyboardStep: Sendable, Hashable {
    /// The kinds of fields: of `secure` and the others, the system's keyboard serves some.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        case plain, secure, phonePad, namePhonePad, numberPad, emailAddress, URL, webSearch
    }

    /// Gives the focus to a text.
    case focus(String, Field)
    /// Types words on the keys.
    case type(String)
    /// Taps a key by its name or title.
    case tap(String)
    /// Selects UTF-16 units.
    case select(Range<Int>)
    /// Shows the next keyboard.
    case next
    /// Takes the focus away.
    case dismiss
}

/// The keyboard on the screen.
public enum ShownKeyboard: String, Sendable, Hashable, CaseIterable { case custom, system, none }

/// A condition that a test expects.
public enum ScenarioExpectation: Sendable, Hashable {
    case outcome(OutcomeKind, Cause?)
    /// The value of an item (counted from 1) at a path of `run --json`.
    case item(Int, path: [String], Comparison, ScenarioValue)
    case items(Int)
    /// The domain and code of the error with which the extension cancelled, or words of its description.
    case error(domain: String, code: Int?)
    case errorText(String)
    /// The events in this order, with any others between them.
    case log([EventPattern])
    case noLog([EventPattern])
    /// The number of processes started for the extension so far.
    case processes(Int)
    case noProcess
    /// The number of loads of the request's attachments.
    case loads(Int)
    /// The end of the request's process.
    case exit(Cause)
    case output(String)
    case noOutput(String)
    /// An element of the view with this name, title or text.
    case view(String, isEnabled: Bool?)
    /// The result of the last step that has one.
    case result(PointResult)
    /// An element of the widget's picture with this name, title or text.
    case picture(String)
    /// The text of the field.
    case field(String)
    /// The keyboard on the screen: `custom`, `system` or `none`.
    case keyboard(ShownKeyboard)
    /// The value of what the last step with values has shown, at a path of `run --json`.
    case shown(path: [String], Comparison, ScenarioValue)
    /// The number of background transfers that have not ended, or whose end has reached nobody.
    case transfers(Int)
    /// The text of a file in the container of an app group; null: there is no file.
    case file(group: String, path: String, Comparison, ScenarioValue)

    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        case equal = "="
        case unequal = "!="
        case contains
    }
}

/// A scalar for a comparison.
public enum ScenarioValue: Sendable, Hashable, CustomStringConvertible {
    case text(String)
    case number(Double)
    case boolean(Bool)
    case null

    public var description: String {
        switch self {
        case .text(let text): "\"\(text)\""
        case .number(let number): number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
        case .boolean(let value): "\(value)"
        case .null: "null"
        }
    }
}

/// An event, by its name and, if given, its cause: `process.exited(crashed)`.
public struct EventPattern: Sendable, Hashable, CustomStringConvertible {
    public let event: EventName
    public let cause: Cause?

    public init(_ event: EventName, _ cause: Cause? = nil) {
        self.event = event
        self.cause = cause
    }

    public func matches(_ record: EventRecord) -> Bool {
        record.event == event.rawValue && (cause == nil || record.cause == cause)
    }

    public var description: String { event.rawValue + (cause.map { "(\($0.rawValue))" } ?? "") }

    /// Returns how many of `patterns`, counted from the first, occur in `records` in their order.
    public static func found(_ patterns: [EventPattern], in records: [EventRecord]) -> Int {
        var count = 0
        for record in records where count < patterns.count && patterns[count].matches(record) { count += 1 }
        return count
    }
}
