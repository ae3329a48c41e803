// OutputLog: what extensions printed, for whoever asks later; apart from the event log, which has sizes only.

import EventLoop
import ExtensionProtocol
import ExtensionRegistry

/// A ring of lines for each extension, in the system's daemon for each user's, and which of its lines belong to which request. All of it is bounded.
@HostActor
final class OutputLog {
    /// Bytes of output kept for one identifier.
    nonisolated static let bytesKept = 256 * 1024
    /// Identifiers; the one that has been silent for longest gives way.
    nonisolated static let extensionsKept = 64
    /// Requests whose lines are known.
    nonisolated static let requestsKept = 1024

    /// The lines of `process` numbered above `after`, up to `last` once the request is over.
    struct Span: Sendable {
        let request: RequestIdentifier
        /// Nil of a user's daemon.
        let user: UInt32?
        /// Of the ring.
        let name: String
        let process: Int
        let after: Int
        var last: Int?
    }

    /// The process that prints a line.
    struct Printer: Sendable {
        /// The number of the process in this daemon.
        let process: Int
        let pid: Int
        let extensionIdentifier: String
        /// The user of the process, in the system's daemon.
        let user: UInt32?
        /// The requests to which its output may belong.
        let story: [RequestIdentifier]

        /// The name of the ring for its output.
        var ring: String { user.map { OutputLog.name(of: extensionIdentifier, user: $0) } ?? extensionIdentifier }
    }

    private struct Writer: Hashable {
        let process: Int
        let stream: ProcessOutput.Stream
    }

    private let clock: any HostClock
    private var rings: [String: OutputRing] = [:]
    private var lastWritten: [String: Int] = [:]
    private var assemblies: [Writer: LineAssembly] = [:]
    private var spans: [RequestIdentifier: Span] = [:]
    /// The oldest first.
    private var spanOrder: [RequestIdentifier] = []
    private(set) var lastNumber = 0
    private var views: [Int: @HostActor () -> Void] = [:]
    private var lastView = 0
    /// Hears of lines at once, with what is the same for all of them.
    var relay: (@HostActor (LineAssembly.Lines, LogLine, Printer) -> Void)?

    init(clock: any HostClock) { self.clock = clock }

    // MARK: Writing

    func write(_ bytes: [UInt8], _ stream: ProcessOutput.Stream, of printer: Printer) {
        let writer = Writer(process: printer.process, stream: stream)
        // Taken out while it grows, so that it is not copied.
        var assembly = assemblies.removeValue(forKey: writer) ?? LineAssembly()
        var lines: [LineAssembly.Lines] = []
        assembly.add(bytes) { lines.append($0) }
        assemblies[writer] = assembly
        append(lines, stream.rawValue, printer)
        if !lines.isEmpty { changed() }
    }

    /// What has no newline yet becomes a line: nobody is left whose line could go on.
    func finishLines(of printer: Printer) {
        for stream in [ProcessOutput.Stream.stdout, .stderr] {
            var assembly = assemblies.removeValue(forKey: Writer(process: printer.process, stream: stream))
            if let line = assembly?.end() { append([line], stream.rawValue, printer) }
        }
        changed()
    }

    /// The process is no more, and everything it wrote has been read.
    func ended(_ printer: Printer) {
        finishLines(of: printer)
        for (request, span) in spans where span.process == printer.process && span.last == nil {
            spans[request]?.last = lastNumber
        }
        changed()
    }

    /// A line that the process did not print, and that belongs to what it did.
    func note(_ line: String, _ stream: String, of printer: Printer) {
        let line = LineAssembly.Lines(bytes: Array(line.utf8.prefix(LineAssembly.longestLine)), count: 1)
        append([line], stream, printer)
        changed()
    }

    private func append(_ all: [LineAssembly.Lines], _ stream: String, _ printer: Printer) {
        guard !all.isEmpty else { return }
        let name = printer.ring
        if rings[name] == nil {
            if rings.count >= Self.extensionsKept, let silent = lastWritten.min(by: { $0.value < $1.value })?.key {
                rings[silent] = nil
                lastWritten[silent] = nil
            }
            rings[name] = OutputRing(limit: Self.bytesKept)
        }
        let origin = LogLine(
            extensionIdentifier: printer.extensionIdentifier, pid: printer.pid, stream: stream,
            time: Int(clock.wallClockNow / 1000), bytes: [])
        for lines in all {
            rings[name]?.append(lines, from: origin, of: printer.process, after: lastNumber)
            lastNumber += lines.count
            relay?(lines, origin, printer)
        }
        lastWritten[name] = lastNumber
    }

    // MARK: Requests

    /// What a process prints from now on is this request's, too.
    ///
    /// - Parameter after: the last line that is not, where it has printed some of it already.
    func began(_ request: RequestIdentifier, by printer: Printer, after: Int? = nil) {
        if spanOrder.count >= Self.requestsKept {
            // Half at a time, so that most requests cost nothing.
            for old in spanOrder.prefix(Self.requestsKept / 2) { spans[old] = nil }
            spanOrder.removeFirst(Self.requestsKept / 2)
        }
        spans[request] = Span(
            request: request, user: printer.user, name: printer.ring, process: printer.process,
            after: after ?? lastNumber)
        spanOrder.append(request)
        changed()
    }

    /// What it printed for the request has been read.
    func ended(_ request: RequestIdentifier) {
        guard spans[request]?.last == nil else { return }
        spans[request]?.last = lastNumber
        changed()
    }

    func span(of request: RequestIdentifier) -> Span? { spans[request] }

    /// The known requests whose identifiers start so.
    func requests(startingWith prefix: String, where isSeen: (UInt32?) -> Bool) -> [RequestIdentifier] {
        spanOrder.filter { $0.description.hasPrefix(prefix) && spans[$0].map { isSeen($0.user) } == true }
    }

    // MARK: Reading

    func ring(of name: String) -> OutputRing? { rings[name] }

    /// The ring of one user's processes of an extension, in the system's daemon.
    nonisolated static func name(of identifier: String, user: UInt32) -> String { "\(user)/\(identifier)" }

    /// Calls `view` when there may be more to read; the number is for `unfollow`.
    func follow(_ view: @escaping @HostActor () -> Void) -> Int {
        lastView += 1
        views[lastView] = view
        return lastView
    }

    func unfollow(_ number: Int) { views[number] = nil }

    private func changed() {
        for view in views.values { view() }
    }
}
