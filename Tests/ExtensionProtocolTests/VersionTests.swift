// ProtocolVersion: what two ranges settle on, and the written form.

import ExtensionProtocol
import PropertyListCoding
import Testing

@Suite struct VersionTests {
    private static func range(_ low: (UInt16, UInt16), _ high: (UInt16, UInt16)) -> ClosedRange<ProtocolVersion> {
        ProtocolVersion(major: low.0, minor: low.1)...ProtocolVersion(major: high.0, minor: high.1)
    }

    private static let table:
        [(ours: ClosedRange<ProtocolVersion>, theirs: ClosedRange<ProtocolVersion>, settled: String?)] = [
            (range((1, 0), (1, 0)), range((1, 0), (1, 0)), "1.0"),
            (range((1, 0), (1, 0)), range((1, 0), (1, 7)), "1.0"),
            (range((1, 0), (1, 7)), range((1, 3), (1, 5)), "1.5"),
            (range((1, 0), (2, 4)), range((2, 0), (3, 0)), "2.4"),
            (range((1, 0), (2, 0)), range((1, 0), (1, 9)), "1.9"),
            (range((1, 0), (1, 2)), range((1, 3), (1, 9)), nil),
            (range((1, 0), (1, 9)), range((2, 0), (2, 0)), nil),
        ]

    @Test(arguments: table.indices)
    func twoRangesSettleOnTheHighestVersionThatBothHold(_ row: Int) {
        let (ours, theirs, settled) = Self.table[row]
        #expect(ProtocolVersion.settle(ours, theirs)?.description == settled)
        #expect(ProtocolVersion.settle(theirs, ours)?.description == settled)
    }

    @Test func theWrittenFormIsReadBack() {
        for version in [ProtocolVersion.current, .lowest, ProtocolVersion(major: 65535, minor: 65535)] {
            #expect(ProtocolVersion(wire: version.wire) == version)
        }
    }

    @Test(arguments: [
        "", "1", "1.", ".1", "1.0.0", "1.65536", "-1.0", "a.b", "1 .0", " 1.0", "+1.0", "1.+0", "01.0", "1.00", "1.-0",
    ])
    func whatIsNoVersionIsRefused(_ text: String) {
        #expect(ProtocolVersion(wire: .string(text)) == nil)
    }

    @Test func aVersionIsNoNumber() {
        #expect(ProtocolVersion(wire: .real(1.0)) == nil)
    }

    @Test func theLowestVersionSpokenIsOfTheCurrentMajor() {
        #expect(ProtocolVersion.lowest <= ProtocolVersion.current)
        #expect(ProtocolVersion.lowest.major == ProtocolVersion.current.major)
    }

    /// A peer that settled on a lower version takes such a kind for a violation: what is sent to it must ask first.
    @Test func aKindThatCameLaterNamesTheVersionThatBroughtIt() {
        let first: [MessageKind] = [.hello, .begin, .begun, .complete, .cancel, .loadItem, .success, .error]
        let later: [MessageKind: ProtocolVersion] = [
            .cancelLoad: .withLoadControl, .loadProgress: .withLoadControl, .addBundle: .withRegistry,
            .match: .withRegistry,
            .points: .withRegistry, .held: .withSupervision, .resetBreaker: .withSupervision,
            .getConfiguration: .withConfiguration, .configuration: .withConfiguration, .showView: .withViews,
            .viewUsed: .withViews, .getStatistics: .withStatistics, .statistics: .withStatistics,
            .checkMainQueue: .withMainQueueCheck,
        ]
        for kind in first { #expect(kind.since == .lowest, "\(kind)") }
        for (kind, version) in later { #expect(kind.since == version && version > .lowest, "\(kind)") }
        #expect(MessageKind.allCases.allSatisfy { (.lowest ... .current).contains($0.since) })
    }
}
