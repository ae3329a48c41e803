// Faults: the faults of a provider, which a test writes into a file while the provider runs.

import Foundation
import Glibc
import PointHosts
import Synchronization

/// The faults of a provider. Each line of the file is a call and what becomes of it:
///
///     create hang            the call never ends, and does not notice that it is cancelled
///     items delay 50         it ends after 50 ms
///     flush fail quota       it fails with this error
///     named fail ended 3     the next three calls fail
///
/// `any` stands for every call.
public final class Faults: Sendable {
    private struct State {
        var stamp: [Int] = []
        var lines: [[String]] = []
        var calls = 0
    }

    private let path: String?
    private let failEvery: Int
    private let state = Mutex(State())

    /// Makes the faults.
    ///
    /// - Parameters:
    ///   - path: the file; nil for no faults.
    ///   - failEvery: each call whose number can be divided by this fails, as if the extension had been killed twice. 0 for
    ///     none.
    public init(path: String?, failEvery: Int = 0) { (self.path, self.failEvery) = (path, failEvery) }

    /// The words of the lines whose first word is this.
    public func lines(of call: String) -> [[String]] {
        state.withLock { state in
            load(&state)
            return state.lines.filter { $0[0] == call }
        }
    }

    private func load(_ state: inout State) {
        var facts = stat()
        guard let path, stat(path, &facts) == 0 else { return }
        let stamp = [facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, Int(facts.st_ino), facts.st_size]
        guard stamp != state.stamp, let text = try? String(contentsOfFile: path, encoding: .utf8) else { return }
        state.stamp = stamp
        state.lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            .filter { !$0.isEmpty }
    }

    /// Performs the fault of a call, if there is one.
    func perform(_ call: String) async throws(FileFailure) {
        let words = state.withLock { state -> [String]? in
            load(&state)
            state.calls += 1
            if failEvery > 0, state.calls % failEvery == 0 { return [call, "fail", "ended"] }
            guard let index = state.lines.firstIndex(where: { $0[0] == call || $0[0] == "any" }) else { return nil }
            let words = state.lines[index]
            if words.count == 4, let left = Int(words[3]) {
                if left == 0 { return nil }
                state.lines[index][3] = "\(left - 1)"
            }
            return words
        }
        guard let words, words.count > 1 else { return }
        switch words[1] {
        case "hang": await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        case "delay":
            do { try await Task.sleep(for: .milliseconds(Int(words[2]) ?? 0)) } catch {
                throw FileFailure(.cancelled, "the call was cancelled")
            }
        case "fail": throw FileFailure(Self.codes[words[2]] ?? .failed, "\(call) fails by demand")
        default: break
        }
    }

    private static let codes: [String: FileFailure.Code] = [
        "quota": .insufficientQuota, "unreachable": .serverUnreachable, "ended": .providerEnded,
        "authentication": .notAuthenticated, "missing": .noSuchItem, "space": .noSpace, "timeout": .timedOut,
    ]
}
