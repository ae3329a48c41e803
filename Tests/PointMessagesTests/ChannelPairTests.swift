// ChannelPairTests: the numbers of channels that `channelCapabilities` of an audio unit allow.

import PointMessages
import Testing

@Suite struct ChannelPairTests {
    @Test(
        "Pairs of channels allow what Apple's page says",
        arguments: [
            ([], [5], [1], true), ([1, 2], [1], [2], true), ([1, 2], [2], [2], false), ([1, 2], [2], [1], false),
            ([1, 1, 2, 2], [2], [2], true), ([1, 1, 2, 2], [1], [2], false), ([-1, -1], [7], [7], true),
            ([-1, -1], [7], [6], false), ([-1, -1], [], [6], true), ([-1, -2], [7], [6], true),
            ([-2, -1], [7], [6], true), ([-1, 2], [9], [2], true), ([-1, 2], [9], [1], false),
            ([-16, 2], [8, 8], [2], true), ([-16, 2], [9, 8], [2], false), ([-3, -3], [2, 1], [3], true),
            ([0, 2], [], [2], true), ([0, 2], [2], [2], false), ([2, 2], [], [2], false), ([2], [1], [1], true),
            ([2, 2, 1], [1], [1], false), ([Int.min, Int.min], [Int.max, Int.max, Int.min], [Int.max], true),
        ] as [([Int], [Int], [Int], Bool)])
    func pairs(_ pairs: [Int], _ inputs: [Int], _ outputs: [Int], _ isRendered: Bool) {
        let facts = AudioUnitFacts(
            inputs: [], outputs: [], parameters: [], presets: [], currentPreset: nil, latency: 0, tail: 0,
            maximumFrames: 512, channelPairs: pairs, takesMIDI: false, isBypassed: false)
        #expect(facts.rendersChannels(inputs: inputs, outputs: outputs) == isRendered)
    }
}
