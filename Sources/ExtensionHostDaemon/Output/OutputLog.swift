// OutputLog: the output of extensions, for later readers; the event log has its sizes only.

import EventLoop
import ExtensionProtocol
import ExtensionRegistry

/// The recent lines of each extension, and the lines that belong to each request.
///
/// In the system's daemon each user's extension has a ring of its own. The number of rings and requests, and the bytes
/// of each ring, are bounded.
@HostActor
final class OutputLog {
    /// The bytes of output that one ring holds.
    nonisolated static let bytesKept = 256 * 1024
    /// The number of rings; a new one replaces the one that has been silent for longest.
    nonisolated static let extensionsKept = 64
    /// The number of requests whose lines are known.
    nonisolated static let requestsKept = 1024

    /// The lines of `process` numbered above `after`, up to `last` once the request is over.
    struct Span: Sendable {
        let request: RequestIdentifier
        /// The user of the process; nil in a user's daemon.
        let user: UInt32?
        /// The name of the ring.
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
    /// The requests of `spans`, the oldest first.
    private var spanOrder: [RequestIdentifier] = []
    private(set) var lastNumber = 0
    private var views: [Int: @HostActor () -> Void] = [:]
    private var lastView = 0
    /// The function that gets new lines at once, with the fields that all of them share.
    var relay: (@HostActor (LineAssembly.Lines, LogLine, Printer) -> Void)?

    init(clock: any HostClock) { self.clock = clock }

    // MARK: Writing

    func write(_ bytes: [UInt8], _ stream: ProcessOutput.Stream, of printer: Printer) {
        let writer = Writer(process: printer.process, stream: stream)
        // The assembly is taken out while it grows, so that it is not copied.
        var assembly = assemblies.removeValue(forKey: writer) ?? LineAssembly()
        var lines: [LineAssembly.Lines] = []
        assembly.add(bytes) { lines.append($0) }
        assemblies[writer] = assembly
        append(lines, stream.rawValue, printer)
        if !lines.isEmpty { changed() }
    }

    /// Turns the bytes after the last newline into lines, because nothing continues them any more.
    func finishLines(of printer: Printer) {
        for stream in [ProcessOutput.Stream.stdout, .stderr] {
            var assembly = assemblies.removeValue(forKey: Writer(process: printer.process, stream: stream))
            if let line = assembly?.end() { append([line], stream.rawValue, printer) }
        }
        changed()
    }

    /// Ends the lines and the requests of a process that has ended, once all of its output has been read.
    func ended(_ printer: Printer) {
        finishLines(of: printer)
        for (request, span) in spans where span.process == printer.process && span.last == nil {
            spans[request]?.last = lastNumber
        }
        changed()
    }

    /// Adds a line about the process that the process did not print itself.
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

    /// Counts the later output of the process as the request's, too.
    ///
    /// - Parameter after: the last line that is not the request's, if the process has printed some of the request's
    ///   lines already.
    func began(_ request: RequestIdentifier, by printer: Printer, after: Int? = nil) {
        if spanOrder.count >= Self.requestsKept {
            // Half of the requests go at a time, so that most new requests cost nothing.
            for old in spanOrder.prefix(Self.requestsKept / 2) { spans[old] = nil }
            spanOrder.removeFirst(Self.requestsKept / 2)
        }
        spans[request] = Span(
            request: request, user: printer.user, name: printer.ring, process: printer.process,
            after: after ?? lastNumber)
        spanOrder.append(request)
        changed()
    }

    /// Ends the lines of a request, whose output has been read.
    func ended(_ request: RequestIdentifier) {
        guard spans[request]?.last == nil else { return }
        spans[request]?.last = lastNumber
        changed()
    }

    func span(of request: RequestIdentifier) -> Span? { spans[request] }

    /// Returns the known requests whose identifiers start with `prefix` and that the caller may see.
    func requests(startingWith prefix: String, where isSeen: (UInt32?) -> Bool) -> [RequestIdentifier] {
        spanOrder.filter { $0.description.hasPrefix(prefix) && spans[$0].map { isSeen($0.user) } == true }
    }

    // MARK: Reading

    func ring(of name: String) -> OutputRing? { rings[name] }

    /// Returns the name of the ring for one user's processes of an extension, in the system's daemon.
    nonisolated static func name(of identifier: String, user: UInt32) -> String { "\(user)/\(identifier)" }

    /// Calls `view` when there may be more to read.
    ///
    /// - Returns: the number for `unfollow`.
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
