// AudioUnitDriver: `run` for an audio unit: a render of a file, and what it took.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import PointMessages
import Scenarios

/// `run` for an audio unit without an interface.
struct AudioUnitDriver: PointDriver {
    static let point = AudioUnitHost.point
    static let sharedOptions: Set<String> = ["--out"]
    static let showsView = false

    /// The unit is made, described and ended.
    static let exploredCalls: [ExplorationCall] = [
        ExplorationCall(
            CreateAudioUnit(
                AudioDescription(type: 0x6175_6678, subtype: 0x6578_706c, manufacturer: 0x6578_706c),
                component: "explored", version: 1)),
        ExplorationCall(DescribeAudioUnit(), after: [1]),
        ExplorationCall(ReadAudioState(isForDocument: false), after: [1]),
        ExplorationCall(ResetAudioUnit(), after: [1]),
        ExplorationCall(EndAudioUnit(), after: [1, 2, 3, 4], isLast: true),
    ]

    static var exploredHandlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.on(AudioParametersChanged.self) { _, _ in Nothing() }
        return handlers
    }

    private let run: AudioRun

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        run = try AudioRun(options)
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        try await run.report(identifier, host, view: .none) { _ in }
    }
}

/// `run` for an audio unit with an interface: its view is shown, and used, before the render.
struct AudioViewDriver: PointDriver {
    static let point = AudioUnitHost.viewPoint
    static let sharedOptions = AudioUnitDriver.sharedOptions.union([
        "--audio", "--set", "--preset", "--block", "--midi",
    ])
    static let showsView = true
    static var exploredCalls: [ExplorationCall] { AudioUnitDriver.exploredCalls }
    static var exploredHandlers: PointHandlers { AudioUnitDriver.exploredHandlers }

    /// The time that an act waits for its element.
    private static let patience = Duration.seconds(10)

    private let run: AudioRun
    private let acts: [SheetAct]
    private let console: RunConsole

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {
        guard !command.interactive else {
            throw CommandError.usage("--interactive does not act on an audio unit", remedy: "Use --tap NAME or --act")
        }
        run = try AudioRun(options)
        acts = command.view.acts(in: CommandLine.arguments.dropFirst())
        self.console = console
    }

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        try await run.report(identifier, host, view: .afterUnit) { session in
            let view = await session.request.view { _ in true }
            if let view, !acts.isEmpty { console.line(TerminalSheet.text(of: view)) }
            for act in acts { try await session.request.use(act.action, patience: Self.patience) }
            // Values that the view has set.
            try await session.refresh()
        }
    }
}

/// The render that the options of `run` describe.
struct AudioRun: Sendable {
    private let audio: String?
    private let out: String?
    private let values: [(name: String, value: String)]
    private let preset: Int?
    private let block: Int
    private let midi: MIDIFile?

    init(_ options: PointOptions) throws {
        (audio, out, preset, block) = (options.audio, options.out, options.preset, options.block ?? 512)
        guard (1...4096).contains(block) else {
            throw CommandError.usage("--block \(block) is no size of a block", remedy: "Write a number from 1 to 4096")
        }
        values = try options.set.map { text in
            guard let place = text.firstIndex(of: "="), place > text.startIndex else {
                throw CommandError.usage("--set \(text) sets nothing", remedy: "Write NAME=VALUE, such as cutoff=800")
            }
            return (String(text[..<place]), String(text[text.index(after: place)...]))
        }
        midi = try options.midi.map { path in
            try AudioAnswer.file { () throws(AudioFileFault) in try MIDIFile(path: path) }
        }
    }

    /// Makes the unit, sets it up, renders, and ends it.
    ///
    /// - Parameter use: a person's use of the view.
    func report(
        _ identifier: String, _ host: HostApplication, view: AudioUnitHost.View,
        use: (AudioUnitSession) async throws -> Void
    ) async throws -> PointReport {
        let units = AudioUnitHost(host)
        let component = try await units.components(of: identifier)[0]
        let session = try await units.instantiate(component, view: view)
        do {
            if let preset { try await AudioAnswer.use(preset, of: session) }
            for (name, value) in values { try await AudioAnswer.set(name, to: value, of: session) }
            try await use(session)
            let rendered = try await AudioAnswer.render(
                session, audio: audio, out: out, block: block, midi: midi)
            do {
                try await session.end()
            } catch let error {
                guard rendered.report.hasEnded else { throw error }
                // The stream of the blocks can end before the request has the outcome that the run exits with.
                _ = await session.request.outcome
            }
            return Self.report(rendered, session, out)
        } catch {
            try? await session.request.cancel()
            throw error
        }
    }

    private static func report(
        _ answer: AudioAnswer, _ session: AudioUnitSession, _ out: String?
    ) -> PointReport {
        let report = answer.report
        let component = session.component
        let codes = component.description.codes
        var text =
            "\(report.status == 0 ? "rendered" : "failed with status \(report.status)"): \(printable(component.name)) "
            + "(\(codes.type) \(codes.subtype) \(codes.manufacturer)), \(printable(component.identifier))\n"
        for parameter in session.parameters.prefix(32) {
            let unit = parameter.unitName.isEmpty ? "" : " \(parameter.unitName)"
            text += "  \(printable(parameter.identifier)) = \(number(parameter.value))\(printable(unit))"
            text += " (\(number(parameter.minimum)) to \(number(parameter.maximum)))\n"
        }
        text += "  frames   \(report.frames), \(report.channels) channels at \(number(report.rate)) Hz"
        text += ", \(number(report.tail)) s of tail\n"
        text += "  peak     \(decibels(report.peak))\n  RMS      \(decibels(report.rms))\n"
        text += "  latency  \(number(report.latency * 1000)) ms\n"
        text += "  blocks   \(report.blocks) of \(report.blockFrames) frames"
        text += ", longest \(microseconds(report.longest)) of \(microseconds(report.budget))"
        text += ", 99.9 % within \(microseconds(report.time(ofPart: 0.999))), \(report.late) late\n"
        if report.sentMIDI > 0 { text += "  MIDI     \(report.sentMIDI) messages from the unit\n" }
        if report.wrongSamples > 0 { text += "  \(report.wrongSamples) samples are no numbers\n" }
        if let out { text += "  written  \(printable(out))\n" }
        return PointReport(
            text: text, json: [("extension", .string(component.identifier))] + answer.members,
            status: report.status == 0 ? 0 : ExitStatus.notExpected)
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e9 ? "\(Int(value))" : String(format: "%.4g", value)
    }

    private static func decibels(_ value: Double) -> String {
        value > 0 ? String(format: "%.5f (%.1f dB)", value, 20 * log10(value)) : "0 (silence)"
    }

    private static func microseconds(_ time: Duration) -> String { "\(Int(time / .microseconds(1))) µs" }
}

/// The result of a render, for `--json` and for scenarios.
struct AudioAnswer: Sendable {
    let report: AudioRenderReport
    let parameters: [AudioParameter]

    /// Renders a file, or a second of sine; a unit without inputs gets none.
    static func render(
        _ session: AudioUnitSession, audio: String?, out: String?, block: Int, midi: MIDIFile?
    ) async throws -> AudioAnswer {
        do {
            let source: AudioSource =
                if let audio {
                    .file(audio)
                } else if session.facts.inputs.isEmpty {
                    .none(seconds: 1, rate: 48_000, channels: 2)
                } else {
                    // Two channels, or as many as the unit's bus has by itself.
                    .sine(seconds: 1, rate: 48_000, channels: session.facts.sineChannels)
                }
            let report = try await session.render(source, to: out, blockFrames: block, midi: midi)
            return AudioAnswer(report: report, parameters: session.parameters)
        } catch let fault as AudioFileFault {
            throw fault.error
        }
    }

    /// Runs a body that reads a file.
    static func file<Value>(_ body: () throws(AudioFileFault) -> Value) throws -> Value {
        do { return try body() } catch { throw CommandError.refused(error.error) }
    }

    static func use(_ preset: Int, of session: AudioUnitSession) async throws {
        guard session.presets.contains(where: { $0.number == preset }) else {
            let presets = session.presets.map { "\($0.number) \($0.name)" }.joined(separator: ", ")
            throw ExtensionHostError(
                .invalidArgument, "the audio unit has no preset \(preset)",
                remedy: presets.isEmpty ? "It has no presets" : "It has: \(presets)")
        }
        try await session.use(preset: preset)
    }

    /// Sets a parameter to a number, or to the name of one of its values.
    static func set(_ name: String, to text: String, of session: AudioUnitSession) async throws {
        guard let parameter = session.parameter(name) else {
            let names = session.parameters.prefix(64).map(\.identifier).joined(separator: ", ")
            throw ExtensionHostError(
                .invalidArgument, "the audio unit has no parameter \(name)",
                remedy: names.isEmpty ? "It has no parameters" : "It has: \(names)")
        }
        let place = parameter.valueNames.firstIndex(of: text)
        guard let value = place.map({ parameter.minimum + Double($0) }) ?? Double(text),
            value >= parameter.minimum, value <= parameter.maximum
        else {
            throw ExtensionHostError(
                .invalidArgument, "\(text) is no value of \(parameter.identifier)",
                remedy: "Its values are from \(parameter.minimum) to \(parameter.maximum)")
        }
        try await session.set(parameter, to: value)
    }

    /// The members of the JSON document.
    var members: [(name: String, value: JSON)] {
        [
            ("outcome", .string(report.status == 0 ? "rendered" : report.hasEnded ? "ended" : "failed")),
            ("status", .integer(Int(report.status))), ("frames", .integer(report.frames)),
            ("channels", .integer(report.channels)), ("rate", .real(report.rate)),
            ("peak", .real(report.peak)), ("rms", .real(report.rms)), ("latency", .real(report.latency)),
            ("tail", .real(report.tail)), ("blocks", .integer(report.blocks)),
            ("blockFrames", .integer(report.blockFrames)), ("late", .integer(report.late)),
            ("longestMicroseconds", .integer(Int(report.longest / .microseconds(1)))),
            ("p999Microseconds", .integer(Int(report.time(ofPart: 0.999) / .microseconds(1)))),
            ("budgetMicroseconds", .integer(Int(report.budget / .microseconds(1)))),
            ("sentMIDI", .integer(report.sentMIDI)), ("wrongSamples", .integer(report.wrongSamples)),
            (
                "parameters",
                .object(
                    parameters.map { ($0.identifier, $0.value.isFinite ? .real($0.value) : .string("\($0.value)")) })
            ),
        ]
    }
}

extension AudioUnitFacts {
    /// The number of channels of a sine for the first input: 2, unless the unit states that it takes no two.
    fileprivate var sineChannels: Int {
        guard let bus = inputs.first else { return 2 }
        let takesTwo =
            (bus.supportedChannels.isEmpty || bus.supportedChannels.contains(2))
            && (bus.maximumChannels == 0 || bus.maximumChannels >= 2)
        let others = inputs.dropFirst().map(\.channels)
        let isStated =
            channelPairs.isEmpty
            || stride(from: 0, to: channelPairs.count, by: 2).contains {
                Self.takes(channelPairs[$0], channels: [2] + others)
            }
        return takesTwo && isStated ? 2 : bus.channels
    }
}
