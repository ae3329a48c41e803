// BroadcastDriver: `run` for the upload of a broadcast: the samples of files, and the report of their end.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import Scenarios

struct BroadcastDriver: PointDriver {
    static let point = BroadcastHost.point
    static let showsView = false

    /// The stream cannot be made here, so that the calls of a broadcast need a session of their own.
    static let exploredCalls: [ExplorationCall] = [ExplorationCall(EndBroadcast(), isLast: true)]

    private let video: String?
    private let sound: String?
    private let microphone: String?
    private let setupInfo: PointValue?
    private let pace: BroadcastSession.Pace

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        video = command.broadcasts.video
        sound = options.audio
        microphone = command.broadcasts.microphone
        setupInfo = try TunnelSteps.options(command.broadcasts.setupInfo)
        pace = command.broadcasts.everyFrame ? .waiting : .real
        // A fault of a file comes before the extension is launched.
        _ = try BroadcastInput.files(video: video, sound: sound, microphone: microphone)
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let session = try await BroadcastHost(host).start(identifier, setupInfo: setupInfo)
        var fault: (any Error)?
        do {
            if video == nil, sound == nil, microphone == nil {
                try await BroadcastInput.playGrey(to: session)
            } else {
                try await session.play(
                    try BroadcastInput.files(video: video, sound: sound, microphone: microphone), pace: pace)
                // The last samples are processed before the end.
                if !session.hasEnded { try await session.settle() }
            }
        } catch {
            fault = error
        }
        let ending = BroadcastEnding(await session.finish(), identifier)
        // The report has the errors of the extension; those of files are the user's.
        if let fault = fault as? VideoFileFault { throw fault.error }
        if let fault = fault as? AudioFileFault { throw fault.error }
        return PointReport(
            text: ending.text, json: [("extension", .string(identifier))] + ending.members, status: ending.status)
    }
}

/// The samples of a broadcast from files, or without any.
enum BroadcastInput {
    /// Opens files.
    ///
    /// - Throws: `ExtensionHostError` for a file that is refused.
    static func files(video: String?, sound: String?, microphone: String?) throws -> BroadcastFiles {
        do {
            return BroadcastFiles(
                video: try video.map { path throws(VideoFileFault) in try Y4MReader(path: path) },
                sound: try sound.map { path throws(AudioFileFault) in try WAVReader(path: path) },
                microphone: try microphone.map { path throws(AudioFileFault) in try WAVReader(path: path) })
        } catch let fault as VideoFileFault {
            throw fault.error
        } catch let fault as AudioFileFault {
            throw fault.error
        }
    }

    /// Plays ten grey frames.
    static func playGrey(to session: BroadcastSession) async throws {
        let (width, height) = (64, 36)
        let format = BroadcastSample.Format.video(width: width, height: height, isFullRange: true, orientation: 1)
        let size = 64 * height + 64 * height / 2
        for number in 0..<10 where !session.hasEnded {
            try session.offer(
                video: [UInt8](repeating: 128, count: size), format, at: .milliseconds(number * 100),
                duration: .milliseconds(100))
            try await session.settle()
        }
    }
}

/// The end of a broadcast, for people and for scenarios.
struct BroadcastEnding: Sendable {
    private let report: BroadcastSession.Report
    private let identifier: String

    init(_ report: BroadcastSession.Report, _ identifier: String) {
        (self.report, self.identifier) = (report, identifier)
    }

    private var reason: String? {
        report.failure.map { "\($0.domain) \($0.code): \($0.text)" } ?? report.error.map { "\($0)" }
    }

    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        if report.failure != nil { return (.failed, reason) }
        return report.error == nil ? (.finished, nil) : (.ended, reason)
    }

    var status: Int32 {
        switch result.word {
        case .finished: 0
        case .failed: ExitStatus.notExpected
        default: OutcomeKind.interrupted.exitStatus
        }
    }

    private static let kinds: [(BroadcastSample.Kind, String)] = [
        (.video, "frames"), (.audioApp, "app sound"), (.audioMic, "microphone"),
    ]

    var text: String {
        var text = "\(result.word.rawValue): \(printable(identifier))"
        if let pid = report.request.processIdentifier { text += ", pid \(pid)" }
        text += "\n"
        if let reason { text += "  reason      \(printable(reason))\n" }
        for (kind, name) in Self.kinds {
            guard let count = report.counts[kind] else { continue }
            text += "  " + name.padding(toLength: 12, withPad: " ", startingAt: 0)
            text += "\(count.processed) of \(count.offered) processed, \(count.lost) lost\n"
        }
        if let url = report.url { text += "  address     \(printable(url))\n" }
        if let info = report.serviceInfo { text += "  service     \(printable(JSON(info.plist).line))\n" }
        return text
    }

    var members: [(name: String, value: JSON)] {
        [
            ("result", .string(result.word.rawValue)), ("reason", .optional(reason)),
            ("domain", .optional(report.failure?.domain)), ("code", .optional(report.failure?.code)),
            ("pid", .optional(report.request.processIdentifier)),
        ] + Self.members(of: report.counts) + [
            ("url", .optional(report.url)),
            ("serviceInfo", report.serviceInfo.map { JSON($0.plist) } ?? .null),
        ]
    }

    /// The counts of samples, by their kinds.
    static func members(of counts: [BroadcastSample.Kind: BroadcastCount]) -> [(name: String, value: JSON)] {
        [(BroadcastSample.Kind.video, "video"), (.audioApp, "sound"), (.audioMic, "microphone")].map { kind, name in
            let count = counts[kind] ?? BroadcastCount()
            return (
                name,
                [
                    "offered": .integer(count.offered), "processed": .integer(count.processed),
                    "lost": .integer(count.lost),
                ]
            )
        }
    }
}
