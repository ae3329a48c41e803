// AudioExamples: values of every message of audio units.

import ExtensionItems
import ExtensionPointKit
import LinuxDescriptors
import PointMessages
import PropertyListCoding

private func facts(isFull: Bool) -> AudioUnitFacts {
    AudioUnitFacts(
        inputs: [
            AudioBus(
                name: "In", rate: 44_100, channels: 2, isEnabled: true, maximumChannels: 8, supportedChannels: [1, 2])
        ], outputs: [],
        parameters: [
            AudioParameter(
                address: -1, identifier: "cutoff", keyPath: "filter.cutoff", name: "Cutoff", minimum: 12,
                maximum: 20_000, value: 800.5, unit: 8, unitName: "Hz", flags: 1 << 31, valueNames: ["low"])
        ], presets: [AudioPreset(number: 0, name: "Grüße")],
        currentPreset: isFull ? AudioPreset(number: -1, name: "Mine") : nil, latency: 0.5, tail: 0.25,
        maximumFrames: 512, channelPairs: [-1, 2], takesMIDI: true, isBypassed: false)
}

/// The offer of a stream, with the files of a ring or without.
func streamOffer(isRing: Bool) throws -> PointStreamOffer {
    var members: PropertyListDictionary = ["stream": 1, "capacity": 1_048_576]
    var files: [SharedDescriptor] = []
    if isRing {
        members["parts"] = [0, 1, 2]
        files = try (0..<3).map { _ in try PointFile(readingAt: "/etc/passwd").descriptor }
    }
    return try PointDecoder.decode(
        PointStreamOffer.self, from: EncodedValue(plist: .dictionary(members), descriptors: files))
}

func audioExamples() throws -> [MessageExamples] {
    let (full, bare) = (facts(isFull: true), facts(isFull: false))
    let description = AudioDescription(type: 0x6175_6678, subtype: 0x6d65_6c6c, manufacturer: 0x4578_6873)
    return [
        MessageExamples(
            CreateAudioUnit.self, ["": CreateAudioUnit(description, component: "Maker: Name", version: 3)],
            replies: ["full": full, "bare": bare]),
        MessageExamples(
            DescribeAudioUnit.self, ["": DescribeAudioUnit()], replies: ["full": full, "bare": bare]),
        MessageExamples(
            SetAudioFormat.self, ["": SetAudioFormat(isInput: true, bus: 1, rate: 48_000, channels: 2)],
            replies: ["full": full, "bare": bare]),
        MessageExamples(
            SetAudioParameters.self, ["": SetAudioParameters([AudioValue(address: -1, value: 1.5)])],
            replies: ["": SetAudioParameters.Reply([AudioValue(address: -1, value: 1.5)])]),
        MessageExamples(UseAudioPreset.self, ["": UseAudioPreset(1)], replies: ["full": full, "bare": bare]),
        MessageExamples(
            ReadAudioState.self, ["": ReadAudioState(isForDocument: true)],
            replies: [
                "full": ReadAudioState.Reply(PointValue(["data": .data([1, 2])])), "bare": ReadAudioState.Reply(nil),
            ]),
        MessageExamples(
            RestoreAudioState.self,
            ["": RestoreAudioState(PointValue(["data": .data([1, 2])]), isForDocument: false)],
            replies: ["full": full, "bare": bare]),
        MessageExamples(BypassAudioUnit.self, ["": BypassAudioUnit(true)]),
        MessageExamples(
            AllocateAudio.self,
            [
                "full": AllocateAudio(maximumFrames: 512, isOffline: true, stream: try streamOffer(isRing: true)),
                "bare": AllocateAudio(maximumFrames: 512, isOffline: true, stream: try streamOffer(isRing: false)),
            ],
            replies: ["full": full, "bare": bare]),
        MessageExamples(DeallocateAudio.self, ["": DeallocateAudio()]),
        MessageExamples(ResetAudioUnit.self, ["": ResetAudioUnit()]),
        MessageExamples(ShowAudioView.self, ["": ShowAudioView()]),
        MessageExamples(EndAudioUnit.self, ["": EndAudioUnit()]),
        MessageExamples(
            AudioParametersChanged.self, ["": AudioParametersChanged([AudioValue(address: 7, value: -0.5)])]),
    ]
}
