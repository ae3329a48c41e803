// Sound: two acts without a mistake, in which nothing is to be found, and one whose clock nobody moves.

import ExtensionFoundation
import Foundation
import Locks

/// Completes once, when both loads are in, whichever comes first.
final class Sound: Act {
    private let request: Request
    private let words = Mutex<[Int: String]>([:])
    init(_ request: Request) { self.request = request }

    func begin() {
        for index in 0...1 {
            request.load(index) { [self] value in
                guard let value else { return request.cancel() }
                let all = words.withLock { words in
                    words[index] = value
                    return words
                }
                if all.count == 2 { request.complete([all[0]!, all[1]!].joined(separator: " ")) }
            }
        }
    }
}

/// Saves what it has when the host goes, whole or not at all, and forgets it once it has answered.
final class SoundInBackground: Act {
    private let request: Request
    private let words = Mutex<[Int: String]>([:])
    init(_ request: Request) { self.request = request }

    func begin() {
        request.on(.NSExtensionHostDidEnterBackground) { [self] in
            let text = words.withLock { $0 }.sorted { $0.key < $1.key }.map(\.value).joined(separator: " ")
            try? text.write(toFile: Request.file, atomically: true, encoding: .utf8)
        }
        for index in 0...1 {
            request.load(index) { [self] value in
                guard let value else { return request.cancel() }
                let all = words.withLock { words in
                    words[index] = value
                    return words
                }
                guard all.count == 2 else { return }
                request.complete([all[0]!, all[1]!].joined(separator: " ")) { _ in
                    try? FileManager.default.removeItem(atPath: Request.file)
                }
            }
        }
    }
}

/// Waits by the system's clock before it answers.
final class Sleeps: Act {
    private let request: Request
    init(_ request: Request) { self.request = request }

    func begin() { DispatchQueue.global().asyncAfter(deadline: .now() + 3600) { [self] in request.complete("late") } }
}
