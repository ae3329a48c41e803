// Output, OneSignal and Kept: what tests collect, wait for and hold.

import Foundation
import Locks

/// What an extension printed.
final class Output: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    @Sendable func add(_ more: [UInt8]) { bytes.withLock { $0 += more } }

    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
}

/// Something that happens once.
final class OneSignal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func fire() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}

/// Holds what would otherwise be let go.
final class Kept<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func keep(_ value: Value?) { self.value.withLock { $0 = value } }

    func take() -> Value? { value.withLock { $0 } }
}

/// Whether no process of this number runs; one that only waits to be reaped does not.
func isGone(_ pid: pid_t) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return true }
    return text.split(separator: ")").last?.split(separator: " ").first == "Z"
}

/// Whether a process is stopped, all threads of it. On a busy machine some run on for a while after SIGSTOP.
func isStopped(_ pid: pid_t) -> Bool {
    guard let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task") else { return false }
    return !threads.isEmpty
        && threads.allSatisfy { thread in
            let text = try? String(contentsOfFile: "/proc/\(pid)/task/\(thread)/stat", encoding: .utf8)
            return text?.split(separator: ")").last?.split(separator: " ").first == "T"
        }
}

/// The error of a test that has waited in vain.
struct NeverHeld: Error, CustomStringConvertible {
    let place: String
    var description: String { "the condition of \(place) did not hold within a minute" }
}

/// The same of what has to be asked for.
func eventually(
    in file: StaticString = #fileID, line: Int = #line, _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try await !condition() {
        guard ContinuousClock.now < end else { throw NeverHeld(place: "\(file):\(line)") }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// Looks again until `condition` holds; fails after a minute. For what nobody announces, as the end of a stranger.
func eventually(in file: StaticString = #fileID, line: Int = #line, _ condition: () throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try !condition() {
        guard ContinuousClock.now < end else { throw NeverHeld(place: "\(file):\(line)") }
        try await Task.sleep(for: .milliseconds(2))
    }
}
