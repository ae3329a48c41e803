// AudioStage: the host of an audio unit of one test.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts
import Scenarios

/// The audio unit of one test, from its first step on. It ends with the test.
actor AudioStage {
    private let host: HostApplication
    private let identifier: String
    private var opening: Task<AudioUnitSession, any Error>?

    /// The result of a render.
    struct Answer: Sendable {
        let result: PointResult
        let members: [(name: String, value: JSON)]
        var why: String?
    }

    init(_ host: HostApplication, _ identifier: String) { (self.host, self.identifier) = (host, identifier) }

    private func session() async throws -> AudioUnitSession {
        let opening =
            opening
            ?? Task { [host, identifier] in
                let units = AudioUnitHost(host)
                return try await units.instantiate(try await units.components(of: identifier)[0])
            }
        self.opening = opening
        return try await opening.value
    }

    /// Sets up the unit.
    func perform(_ step: AudioStep) async throws {
        let session = try await session()
        switch step {
        case .set(let name, let value): try await AudioAnswer.set(name, to: value, of: session)
        case .preset(let number): try await AudioAnswer.use(number, of: session)
        case .render, .play: break
        }
    }

    /// Renders. A failure of the unit is the result.
    ///
    /// - Parameter folder: the folder to which paths are relative.
    func render(_ step: AudioStep, in folder: String) async throws -> Answer {
        func path(_ name: String) -> String { name.hasPrefix("/") ? name : "\(folder)/\(name)" }
        do {
            let session = try await session()
            var (audio, midi): (String?, MIDIFile?)
            switch step {
            case .render(let file): audio = file.map(path)
            case .play(let file): midi = try MIDIFile(path: path(file))
            case .set, .preset: break
            }
            let answer = try await AudioAnswer.render(session, audio: audio, out: nil, block: 512, midi: midi)
            // A unit that died ended its request; the next step makes another.
            if answer.report.hasEnded { opening = nil }
            let status = answer.report.status
            return Answer(
                result: status == 0 ? .rendered : answer.report.hasEnded ? .ended : .failed, members: answer.members,
                why: status == 0 ? nil : "the status is \(status)")
        } catch let fault as AudioFileFault {
            throw fault.error
        } catch let error as ExtensionHostError where error.code == .timedOut {
            opening = nil
            return Answer(result: .timedOut, members: [("reason", .string("\(error)"))], why: "\(error)")
        } catch let error as NSError where error.domain == NSOSStatusErrorDomain {
            return Answer(
                result: .failed, members: [("status", .integer(error.code))],
                why: "\(error.localizedDescription) (\(error.code))")
        }
    }
}

extension AudioStep {
    /// Whether the step has a result.
    var isRender: Bool {
        switch self {
        case .render, .play: true
        case .set, .preset: false
        }
    }
}
