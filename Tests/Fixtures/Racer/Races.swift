// Races: twelve mistakes about the order of things. Undisturbed, each answers with the words of both attachments,
// “first second”.

import ExtensionFoundation
import Foundation
import Glibc
import Locks

/// Saves what there is when the host goes, and completes; then the second load completes again.
final class CompletesTwice: Act {
    private let request: Request
    private let words = Mutex<[String]>([])
    init(_ request: Request) { self.request = request }

    func begin() {
        request.on(.NSExtensionHostDidEnterBackground) { [self] in
            let first = words.withLock { $0 }
            if !first.isEmpty { request.complete(first.joined(separator: " ")) }
        }
        for index in 0...1 {
            request.load(index) { [self] value in
                let all = words.withLock { words in
                    words.append(value ?? "")
                    return words.count == 2 ? words : []
                }
                if !all.isEmpty { request.complete(all.sorted().joined(separator: " ")) }
            }
        }
    }
}

/// The first load that fails clears the draft; the other one takes it for granted.
final class ForcesCleared: Act {
    private let request: Request
    private let draft = Mutex<[String]?>([])
    init(_ request: Request) { self.request = request }

    func begin() {
        for index in 0...1 {
            request.load(index) { [self] value in
                let words = draft.withLock { draft -> [String] in
                    var words = draft!
                    if let value { words.append(value) }
                    draft = value == nil ? nil : words
                    return words
                }
                if words.count == 2 { request.complete(words.sorted().joined(separator: " ")) }
            }
        }
    }
}

/// Uploads once the host is back, however long that takes, and does not listen when its time is up.
final class IgnoresExpiry: Act {
    private let request: Request
    private let words = Mutex<[String]>([])
    private let isAway = Mutex(false)
    private let back = DispatchSemaphore(value: 0)
    init(_ request: Request) { self.request = request }

    func begin() {
        request.on(.NSExtensionHostDidEnterBackground) { [self] in isAway.withLock { $0 = true } }
        for index in 0...1 {
            request.load(index) { [self] value in
                guard let value else { return }
                let all = words.withLock { words in
                    words.append(value)
                    return words.count == 2 ? words : []
                }
                guard !all.isEmpty else { return }
                request.complete(all.sorted().joined(separator: " ")) { [self] expired in
                    if !expired, isAway.withLock({ $0 }) { back.wait() }
                }
            }
        }
    }
}

/// Begins its file anew when the host goes, and writes on at the place where it was.
final class WritesInBackground: Act {
    private let request: Request
    private let place = Mutex(0)
    /// This request's alone: another one beside it is no part of the mistake.
    private let path = Request.file + "-" + UUID().uuidString
    private let file: Int32

    init(_ request: Request) {
        self.request = request
        file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    }

    func begin() {
        request.on(.NSExtensionHostDidEnterBackground) { [self] in place.withLock { _ in _ = ftruncate(file, 0) } }
        request.load(0) { [self] first in
            guard let first else { return request.cancel() }
            write(first + " ")
            request.load(1) { [self] second in
                guard let second else { return request.cancel() }
                write(second)
                request.complete((try? String(contentsOfFile: path, encoding: .utf8)) ?? "nothing")
            }
        }
    }

    private func write(_ words: String) {
        place.withLock { place in place += pwrite(file, words, words.utf8.count, off_t(place)) }
    }
}

/// Holds a lock for as long as it loads, and forgets it where a load fails.
final class KeepsLock: Act {
    private static let lock = DispatchSemaphore(value: 1)
    private let request: Request
    init(_ request: Request) { self.request = request }

    func begin() {
        Self.lock.wait()
        request.load(0) { [self] first in
            guard let first else { return }
            request.load(1) { [self] second in
                guard let second else { return }
                Self.lock.signal()
                request.complete(first + " " + second)
            }
        }
    }
}

/// Two requests in one process share what they have collected; each begins with nothing, and answers once its own loads
/// are in.
final class SharesState: Act {
    private static let words = Mutex<[String]>([])
    private let request: Request
    private let loaded = Mutex(0)
    init(_ request: Request) { self.request = request }

    func begin() {
        Self.words.withLock { $0 = [] }
        for index in 0...1 {
            request.load(index) { [self] value in
                guard let value else { return request.cancel() }
                let all = Self.words.withLock { words in
                    words.append(value)
                    return words
                }
                let isDone = loaded.withLock { loaded in
                    loaded += 1
                    return loaded == 2
                }
                if isDone { request.complete(all.sorted().joined(separator: " ")) }
            }
        }
    }
}

/// What a request that was given up had loaded is still there for the next.
final class KeepsCancelled: Act {
    private static let cache = Mutex<[Int: String]>([:])
    private let request: Request
    private let words = Mutex<[Int: String]>([:])
    init(_ request: Request) { self.request = request }

    func begin() {
        // A second one that runs beside it starts from nothing; so does the first after a good end.
        let kept = Self.cache.withLock { cache in
            defer { cache = [:] }
            return cache
        }
        words.withLock { $0 = kept }
        for index in 0...1 {
            request.load(index) { [self] value in
                let all = words.withLock { words in
                    words[index] = (words[index].map { $0 + "+" } ?? "") + (value ?? "")
                    return words
                }
                guard value != nil else { return Self.cache.withLock { $0 = all.filter { !$0.value.isEmpty } } }
                if all.count == 2 { request.complete([all[0]!, all[1]!].joined(separator: " ")) }
            }
        }
    }
}

/// Takes a file that is there for a whole one, and writes it in two halves.
final class TrustsFile: Act {
    private let request: Request
    init(_ request: Request) { self.request = request }

    func begin() {
        let left = try? String(contentsOfFile: Request.file, encoding: .utf8)
        precondition(left.map { $0.split(separator: " ").count == 2 } ?? true, "the draft is damaged")
        request.load(0) { [self] first in
            guard let first else { return }
            try? first.write(toFile: Request.file, atomically: false, encoding: .utf8)
            request.load(1) { [self] second in
                guard let second else { return try! FileManager.default.removeItem(atPath: Request.file) }
                try? FileManager.default.removeItem(atPath: Request.file)
                request.complete(first + " " + second)
            }
        }
    }
}

/// Thinks that the loads end in the order in which they began.
final class FirstIsEnough: Act {
    private let request: Request
    private let first = Mutex<String?>(nil)
    init(_ request: Request) { self.request = request }

    func begin() {
        request.load(0) { [self] value in first.withLock { $0 = value } }
        request.load(1) { [self] value in
            guard let value else { return }
            request.complete((first.withLock { $0 } ?? "nothing") + " " + value)
        }
    }
}

/// The second load waits for the first with the lock in its hand that the first one needs.
final class Deadlocks: Act {
    private let request: Request
    private let lock = DispatchSemaphore(value: 1)
    private let arrival = DispatchSemaphore(value: 0)
    private let first = Mutex<String?>(nil)
    init(_ request: Request) { self.request = request }

    func begin() {
        request.load(0) { [self] value in
            lock.wait()
            first.withLock { $0 = value }
            lock.signal()
            arrival.signal()
        }
        request.load(1) { [self] value in
            lock.wait()
            arrival.wait()
            lock.signal()
            guard let value, let first = first.withLock({ $0 }) else { return }
            request.complete(first + " " + value)
        }
    }
}

/// Between its answer and the host's receipt it thinks that nobody else can come.
final class RefusesWhileFinishing: Act {
    private static let isFinishing = Mutex(false)
    private let request: Request
    private let words = Mutex<[Int: String]>([:])
    init(_ request: Request) { self.request = request }

    func begin() {
        guard !Self.isFinishing.withLock({ $0 }) else { return request.complete("busy") }
        for index in 0...1 {
            request.load(index) { [self] value in
                guard let value else { return }
                let all = words.withLock { words in
                    words[index] = value
                    return words
                }
                guard all.count == 2 else { return }
                Self.isFinishing.withLock { $0 = true }
                request.complete([all[0]!, all[1]!].joined(separator: " ")) { _ in
                    Self.isFinishing.withLock { $0 = false }
                }
            }
        }
    }
}

/// Pauses when the host is about to be inactive, and goes on when it comes back from the background only.
final class StaysPaused: Act {
    private let request: Request
    private let state = Mutex<(words: [Int: String], isPaused: Bool)>(([:], false))
    init(_ request: Request) { self.request = request }

    func begin() {
        request.on(.NSExtensionHostWillResignActive) { [self] in state.withLock { $0.isPaused = true } }
        request.on(.NSExtensionHostWillEnterForeground) { [self] in
            state.withLock { $0.isPaused = false }
            goOn()
        }
        for index in 0...1 {
            request.load(index) { [self] value in
                guard let value else { return }
                state.withLock { $0.words[index] = value }
                goOn()
            }
        }
    }

    private func goOn() {
        let all = state.withLock { $0.isPaused ? [:] : $0.words }
        if all.count == 2 { request.complete([all[0]!, all[1]!].joined(separator: " ")) }
    }
}
