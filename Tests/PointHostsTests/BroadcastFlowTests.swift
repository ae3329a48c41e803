// BroadcastFlowTests: the bounds of what an upload and a set-up say.

import ExtensionPointKit
import ExtensionProtocol
import Foundation
import PointMessages
import PropertyListCoding
import Testing

@testable import PointHosts

@Suite struct BroadcastFlowTests {
    private static let longURL = "https://live.example/" + String(repeating: "a", count: 8192)
    private static let largeInfo = PointValue(["text": .string(String(repeating: "a", count: 1 << 16))])

    // spec: BU-1
    @Test("BU-1: words that the framework does not send are refused, and none of them is stored") func words() throws {
        let flow = BroadcastFlow(BroadcastSession.Limits())
        for words in [
            BroadcastWords(url: Self.longURL), BroadcastWords(serviceInfo: Self.largeInfo),
            BroadcastWords(serviceInfo: PointValue(.string("no dictionary"))),
        ] {
            let error = #expect(throws: ExtensionHostError.self) { try flow.take(words) }
            #expect(error?.code == .protocolViolation)
        }
        #expect(flow.words == BroadcastWords())
        try flow.take(BroadcastWords(url: "https://live.example/"))
        #expect(flow.words.url == "https://live.example/")
    }

    // spec: BU-3
    @Test("BU-3: a choice of a set-up has its bounds, and the first one counts") func choices() throws {
        let choice = SetupChoice()
        for message in [
            CompleteSetup(url: Self.longURL, setupInfo: nil),
            CompleteSetup(url: "https://live.example/", setupInfo: Self.largeInfo),
        ] {
            let error = #expect(throws: ExtensionHostError.self) { try choice.take(message) }
            #expect(error?.code == .protocolViolation)
        }
        #expect(choice.value?.url == nil)
        try choice.take(CompleteSetup(url: "https://live.example/1", setupInfo: nil))
        try choice.take(CompleteSetup(url: "https://live.example/2", setupInfo: nil))
        #expect(choice.value?.url.absoluteString == "https://live.example/1")
    }

    @Test func textsAreCutByTheirBytes() {
        // One character of many scalars, of two bytes each after the first.
        let text = "a" + String(repeating: "\u{301}", count: 10_000)
        let failure = BroadcastFailure(domain: text, code: 1, text: text)
        #expect(failure.domain.utf8.count == 255 && failure.text.utf8.count == 4095)
        #expect(BroadcastFailure(domain: "a", code: 1, text: "short").text == "short")
    }

    // spec: BU-2
    @Test("BU-2: nobody waits for the signs of a broadcast that is closed") func closed() async throws {
        let flow = BroadcastFlow(BroadcastSession.Limits())
        try flow.started(BroadcastWords())
        let format = BroadcastSample.Format.video(width: 64, height: 4, isFullRange: true, orientation: 1)
        let frame = [UInt8](repeating: 1, count: 64 * 6)
        #expect(try flow.offer(.video, time: 0, duration: 0, format, frame) == .sent)
        await flow.settle(0)
        flow.receive([BroadcastSample.sign(of: 1)])
        await flow.settle(1)
        #expect(flow.counts[.video]?.processed == 1)
        #expect(try flow.offer(.video, time: 0, duration: 0, format, frame) == .sent)
        flow.close()
        await flow.settle(2)
        #expect(flow.phase == .ended)
    }
}
