// StandardOutput and StandardError: the destinations of results and remarks, unbuffered, so that a reader gets each
// line at once.

import ExtensionHostTesting
import Glibc
import Locks

enum StandardOutput {
    static let isTerminal = isatty(1) == 1
    static let hasColour = isTerminal && Colour.isWanted
    /// Whether anything has been written.
    static var isUsed: Bool { used.load(ordering: .relaxed) }
    private static let used = Atomic<Bool>(false)

    /// Writes all of `text`. If the reader has gone, SIGPIPE ends the program, as it does `cat`.
    static func write(_ text: String) throws(CommandError) {
        markUsed()
        guard writeAll(text, to: 1) else {
            throw .unexpected("standard output cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    static func line(_ text: String) throws(CommandError) { try write(text + "\n") }

    static func markUsed() { used.store(true, ordering: .relaxed) }
}

enum StandardError {
    static let isTerminal = isatty(2) == 1

    /// Writes `text`. A failure is ignored: no stream is left for an error message.
    static func write(_ text: String) { _ = writeAll(text, to: 2) }

    static func line(_ text: String) { write(text + "\n") }
}

enum Colour {
    /// Whether colour is allowed. On no-color.org, any non-empty value of `NO_COLOR` turns colour off.
    static let isWanted: Bool = {
        if let value = getenv("NO_COLOR"), value.pointee != 0 { return false }
        return getenv("TERM").map { strcmp($0, "dumb") != 0 } ?? false
    }()

    static func bold(_ text: String) -> String { StandardOutput.hasColour ? "\u{1b}[1m\(text)\u{1b}[0m" : text }
    static func red(_ text: String) -> String { StandardOutput.hasColour ? "\u{1b}[31m\(text)\u{1b}[0m" : text }
    static func green(_ text: String) -> String { StandardOutput.hasColour ? "\u{1b}[32m\(text)\u{1b}[0m" : text }
    static func yellow(_ text: String) -> String { StandardOutput.hasColour ? "\u{1b}[33m\(text)\u{1b}[0m" : text }
}

/// The output of a program, passed on unchanged.
enum StandardStream {
    /// Writes bytes. If the reader has gone, SIGPIPE ends the program; other failures are ignored, as no stream is left
    /// for a message.
    static func write(_ bytes: [UInt8], to descriptor: Int32) {
        if descriptor == 1 { StandardOutput.markUsed() }
        _ = bytes.withUnsafeBufferPointer { writeAll($0, to: descriptor) }
    }
}

private func writeAll(_ text: String, to descriptor: Int32) -> Bool {
    var text = text
    return text.withUTF8 { writeAll($0, to: descriptor) }
}

private func writeAll(_ bytes: UnsafeBufferPointer<UInt8>, to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = Glibc.write(descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&entry, 1, -1)
            continue
        }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}
