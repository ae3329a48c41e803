// RunConsole: standard error during a request: the extension's output, and what the request waits for.

import Dispatch
import ExtensionHost
import ExtensionHostTesting
import Glibc
import Locks

/// A console that prefixes each of the extension's lines with its name.
///
/// On a terminal a last line shows what the request waits for, and for how long. Safe to use from any thread.
final class RunConsole: Sendable {
    private struct Writer: Hashable {
        let pid: Int
        let stream: ExtensionOutput.Stream
    }

    private struct State {
        var what: String?
        var since = DispatchTime.now()
        var isDrawn = false
        /// The progress, if it is known.
        var share: String?
        /// The lines without an end so far, with their prefixes.
        var unfinished: [Writer: (prefix: String, bytes: [UInt8])] = [:]
    }

    /// The number of bytes after which a line is cut.
    private static let longestLine = 16 * 1024
    /// The seconds below which a wait gets no line.
    private static let quietTime = 0.3

    private let state = Mutex(State())
    private let showsProgress: Bool

    init(showsProgress: Bool) { self.showsProgress = showsProgress && StandardError.isTerminal }

    /// Shows what the request waits for from now on.
    func wait(for what: String) {
        state.withLock { state in
            if state.what != what { state.since = .now() }
            state.what = what
            state.share = nil
        }
    }

    /// Shows a wait for bytes, with the number that has arrived.
    func wait(for what: String, done: Int, of total: Int) {
        wait(for: what)
        show(done: Int64(done), of: Int64(total))
    }

    /// Shows the progress of the current wait.
    func show(done: Int64, of total: Int64) {
        guard total > 1 else { return }
        state.withLock { $0.share = "\(done * 100 / total) %" }
    }

    /// Calls `tick` while there is a line to keep current. Nil if there is none.
    func startTicker(_ tick: @escaping @Sendable () -> Void) -> (any DispatchSourceTimer)? {
        guard showsProgress else { return nil }
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + Self.quietTime, repeating: 0.1)
        timer.setEventHandler(handler: tick)
        timer.resume()
        return timer
    }

    func redraw() {
        guard showsProgress else { return }
        state.withLock { state in
            guard let what = state.what else { return }
            let seconds = Double(DispatchTime.now().uptimeNanoseconds - state.since.uptimeNanoseconds) / 1e9
            guard state.isDrawn || seconds >= Self.quietTime else { return }
            let tenths = Int(seconds * 10)
            state.isDrawn = true
            let share = state.share.map { ", \($0)" } ?? ""
            StandardError.write("\r\u{1b}[K\(printable(what))\(share) \(tenths / 10).\(tenths % 10) s")
        }
    }

    func line(_ text: String) {
        state.withLock { state in
            Self.erase(&state)
            StandardError.line(text)
        }
    }

    /// Shows an extension's output, in whole lines.
    func show(_ output: ExtensionOutput) {
        let writer = Writer(pid: output.processIdentifier, stream: output.stream)
        state.withLock { state in
            var (prefix, bytes) = state.unfinished.removeValue(forKey: writer) ?? (output.prefix, [])
            bytes += output.bytes
            var text = ""
            while let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
                ?? (bytes.count > Self.longestLine ? bytes.endIndex : nil)
            {
                text += Self.line(prefix, bytes[..<end])
                bytes.removeFirst(min(end + 1, bytes.count))
            }
            if !bytes.isEmpty { state.unfinished[writer] = (prefix, bytes) }
            guard !text.isEmpty else { return }
            Self.erase(&state)
            StandardError.write(text)
        }
    }

    /// Removes the last line, and shows output without an end of line.
    func end() {
        state.withLock { state in
            state.what = nil
            Self.erase(&state)
            for (prefix, bytes) in state.unfinished.values { StandardError.write(Self.line(prefix, bytes[...])) }
            state.unfinished = [:]
        }
    }

    private static func line(_ prefix: String, _ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        // An extension may not control the terminal; a file gets the raw output.
        return prefix + (StandardError.isTerminal ? printable(text) : text) + "\n"
    }

    private static func erase(_ state: inout State) {
        guard state.isDrawn else { return }
        state.isDrawn = false
        StandardError.write("\r\u{1b}[K")
    }
}

extension ExtensionOutput {
    /// The prefix of a line: `org.example.app.share[4242]: `.
    fileprivate var prefix: String { "\(printable(extensionIdentifier))[\(processIdentifier)]: " }
}
