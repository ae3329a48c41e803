// AudioUnitSession+Channels: the formats of a render, by the numbers of channels that the unit states.

import Foundation
import PointMessages

extension AudioUnitSession {
    /// Sets the formats for an input, and allocates. The output has the first number of channels that the unit takes.
    ///
    /// - Throws: `kAudioUnitErr_FormatNotSupported` if the unit states that it does not render the input, or the first
    ///   error of the unit.
    func allocate(rate: Double, inputChannels: Int, maximumFrames: Int) async throws -> AudioUnitFacts {
        let initial = facts
        let inputs = [inputChannels] + initial.inputs.dropFirst().map(\.channels)
        let candidates = initial.outputCandidates(inputs: initial.inputs.isEmpty ? [] : inputs, wanted: inputChannels)
        guard !candidates.isEmpty || initial.outputs.isEmpty else {
            throw AudioStatus.formatNotSupported.error(
                "\(component.name) renders no \(inputChannels) channels: "
                    + "it states the pairs \(initial.channelPairsText)")
        }
        for (number, bus) in initial.inputs.enumerated() {
            try await setFormat(of: bus, input: true, number, rate: rate, channels: inputs[number])
        }
        for (number, bus) in initial.outputs.enumerated().dropFirst() {
            try await setFormat(of: bus, input: false, number, rate: rate, channels: bus.channels)
        }
        guard let output = initial.outputs.first else { return try await allocate(maximumFrames: maximumFrames) }
        var firstError: (any Error)?
        for channels in candidates {
            do {
                try await setFormat(of: output, input: false, 0, rate: rate, channels: channels, isChanged: true)
                return try await allocate(maximumFrames: maximumFrames)
            } catch let error as NSError where AudioStatus.isAboutFormats(error) {
                firstError = firstError ?? error
            }
        }
        throw firstError ?? AudioStatus.formatNotSupported.error("\(component.name) takes no format")
    }

    private func setFormat(
        of bus: AudioBus, input isInput: Bool, _ number: Int, rate: Double, channels: Int, isChanged: Bool = false
    ) async throws {
        guard isChanged || bus.rate != rate || bus.channels != channels else { return }
        try await setFormat(input: isInput, bus: number, rate: rate, channels: channels)
    }
}

extension AudioUnitFacts {
    /// The numbers of output channels to try, the best one first: that of the input, then those that the unit states.
    fileprivate func outputCandidates(inputs: [Int], wanted: Int) -> [Int] {
        guard let output = outputs.first else { return [] }
        let others = outputs.dropFirst().map(\.channels)
        let stated = stride(from: 1, to: channelPairs.count, by: 2).map { channelPairs[$0] }
        var seen = Set<Int>()
        return ([wanted] + stated + [output.channels] + output.supportedChannels).filter { channels in
            (1...AudioBlock.mostChannels).contains(channels) && seen.insert(channels).inserted
                && rendersChannels(inputs: inputs, outputs: [channels] + others)
        }
    }

    /// The pairs as text, such as “1 to 2, 2 to 2”.
    fileprivate var channelPairsText: String {
        stride(from: 0, to: min(channelPairs.count - 1, 32), by: 2).map {
            "\(channelPairs[$0]) to \(channelPairs[$0 + 1])"
        }
        .joined(separator: ", ")
    }
}

extension AudioStatus {
    /// Whether the unit may take another number of channels after this error.
    fileprivate static func isAboutFormats(_ error: NSError) -> Bool {
        error.domain == NSOSStatusErrorDomain
            && [formatNotSupported, failedInitialization].contains { Int($0.rawValue) == error.code }
    }
}
