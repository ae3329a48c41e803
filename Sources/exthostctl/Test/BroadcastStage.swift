// BroadcastStage: the host of a broadcast's upload of one test.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Locks
import PointHosts
import Scenarios

/// The broadcast of one test.
final class BroadcastStage: Sendable {
    private let host: BroadcastHost
    private let identifier: String
    private let session = Mutex<BroadcastSession?>(nil)

    init(_ host: HostApplication, _ identifier: String) {
        self.host = BroadcastHost(host)
        self.identifier = identifier
    }

    /// Performs a step. A failure of the extension is its result.
    ///
    /// - Parameter folder: the folder to which the paths of files are relative.
    func perform(_ step: BroadcastStep, in folder: String) async throws -> BroadcastAnswer {
        do {
            if case .start(let entries) = step {
                // A broadcast that has not been finished ends first. Its result is not that of the step.
                let older = self.session.withLock { session in
                    defer { session = nil }
                    return session
                }
                _ = await older?.finish()
                let session = try await host.start(identifier, setupInfo: try TunnelSteps.options(entries))
                self.session.withLock { $0 = session }
                return await answer(.live, session)
            }
            guard let session = session.withLock({ $0 }) else {
                throw TestFailure(
                    expected: "a broadcast", found: "none has started", remedy: "Write broadcast start above the line")
            }
            switch step {
            case .start, .finish:
                let ending = BroadcastEnding(await session.finish(), identifier)
                return BroadcastAnswer(result: ending.result.word, members: ending.members, why: ending.result.why)
            case .play(let video, let sound):
                func path(_ text: String) -> String { text.hasPrefix("/") ? text : "\(folder)/\(text)" }
                let files: BroadcastFiles
                do {
                    files = try BroadcastInput.files(
                        video: path(video), sound: sound.map { path($0) }, microphone: nil)
                } catch {
                    throw FileFault(error: error)
                }
                try await session.play(files, pace: .waiting)
                if !session.hasEnded { try await session.settle() }
                return await answer(.live, session)
            case .pause:
                try await session.pause()
                return await answer(.paused, session)
            case .resume: try await session.resume()
            case .annotate(let app): try await session.annotate(app)
            }
            return await answer(.live, session)
        } catch let error as TestFailure {
            throw error
        } catch let fault as FileFault {
            throw fault.error
        } catch let fault as VideoFileFault {
            throw fault.error
        } catch let fault as AudioFileFault {
            throw fault.error
        } catch let error as ExtensionHostError where error.code == .invalidArgument && session.withLock({ $0 }) == nil
        {
            throw error
        } catch {
            if let session = session.withLock({ $0 }), session.hasEnded { return await answer(.ended, session) }
            let reason = (error as? ExtensionHostError)?.message ?? error.localizedDescription
            return BroadcastAnswer(result: .failed, members: [("reason", .string(reason))], why: reason)
        }
    }

    /// The fault of a file that a step names. It is the test's, not the extension's.
    private struct FileFault: Error {
        let error: any Error
    }

    /// Returns the state after a step. A broadcast that the extension has ended has its report.
    private func answer(_ result: PointResult, _ session: BroadcastSession) async -> BroadcastAnswer {
        guard session.hasEnded else {
            return BroadcastAnswer(result: result, members: BroadcastEnding.members(of: session.counts))
        }
        let ending = BroadcastEnding(await session.finish(), identifier)
        return BroadcastAnswer(result: ending.result.word, members: ending.members, why: ending.result.why)
    }
}

/// The result of a step with a broadcast, for scenarios.
struct BroadcastAnswer: Sendable {
    let result: PointResult
    let members: [(name: String, value: JSON)]
    var why: String?
}
