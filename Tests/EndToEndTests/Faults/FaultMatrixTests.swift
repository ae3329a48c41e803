// FaultMatrixTests: every fault at every point of an extension's life ends as the matrix says, and harms nobody else.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import Testing

@Suite struct FaultMatrixTests {
    private static let repetitions = ProcessInfo.processInfo.environment["EXTHOST_LONG_TESTS"] == nil ? 2 : 100

    // spec: A5, G1, P-006, P-017, P-035, P-103
    @Test(arguments: LifePoint.allCases)
    func everyFaultAtAPointOfAnExtensionsLifeEndsAsTheMatrixSaysAndHarmsNobodyElse(point: LifePoint) async throws {
        let row = try #require(FaultMatrix.rows[point])
        let bundles = try FaultStage.bundles(for: point)
        try await withTestDaemon(
            applications: [bundles.path], clock: .virtual, arguments: FaultStage.arguments(bundles)
        ) {
            daemon in
            let stage = try await FaultStage(point, bundles, daemon)
            for repetition in 0..<Self.repetitions {
                for fault in Fault.allCases {
                    let expected = try #require(row[fault])
                    let found = try await stage.run(fault, expecting: expected.seconds)
                    #expect(found == expected, "\(fault) when \(point), for the \(repetition + 1)th time")
                }
            }
            // The one that was started, through all of it.
            #expect(try await daemon.control.status().pid == daemon.processIdentifier)
            if Self.repetitions > 2 { printFigures(of: point, stage.latencies.sorted()) }
        }
    }

    /// The same outcome and the same log, but for the words of what stands there itself.
    @Test(arguments: [LifePoint.launching, .delivered, .call, .handler, .idle, .two])
    func whatIsDoneFromOutsideHasTheSameLogAsTheFaultOfItsName(point: LifePoint) async throws {
        let row = try #require(FaultMatrix.rows[point])
        let bundles = try FaultStage.bundles(for: point)
        try await withTestDaemon(
            applications: [bundles.path], clock: .virtual, arguments: FaultStage.arguments(bundles)
        ) {
            daemon in
            let stage = try await FaultStage(point, bundles, daemon)
            for fault in Fault.fromOutside {
                let expected = try #require(row[fault])
                let onDemand = try await stage.run(fault, expecting: expected.seconds)
                let log = Self.form(stage.story)
                let fromOutside = try await stage.run(fault, expecting: expected.seconds, fromOutside: true)
                #expect(onDemand == expected && fromOutside == expected, "\(fault) when \(point)")
                let difference = Self.form(stage.story).firstDifference(from: log)
                #expect(difference == nil, "\(fault) when \(point), from outside and on demand: \(difference ?? "")")
            }
        }
    }

    private static func form(_ story: [EventRecord]) -> NormalForm {
        // News of the run before may have come late.
        let own = story.drop { $0.event != EventName.requestCreated.rawValue }
        // The end of a process's connection ends its calls, and the daemon does not read the connection of one that a
        // fault ends: the call ends with the request then.
        let others = [EventName.faultInjected.rawValue, EventName.callFinished.rawValue]
        return NormalForm(
            own.filter { !others.contains($0.event) }.map { event in
                var event = event
                // Open requests stand there in the order of their identifiers, which is chance.
                if let detail = event.detail, let place = detail.firstRange(of: "; request") {
                    event.detail = String(detail[..<place.lowerBound])
                }
                return event
            }, isExact: false)
    }

    private func printFigures(of point: LifePoint, _ latencies: [Duration]) {
        func microseconds(_ place: Int) -> Int { Int(latencies[place] / .microseconds(1)) }
        let (count, runs) = (latencies.count, Self.repetitions * Fault.allCases.count)
        StandardStreams.writeError(
            "\(point): \(runs) runs; from a fault that ends the process at once to the news of it, \(count) times: "
                + "p50 \(microseconds(count / 2)) µs, p99 \(microseconds(count * 99 / 100)) µs, most \(microseconds(count - 1)) µs\n"
        )
    }

    @Test func thePageShowsTheMatrix() throws {
        #expect(FaultMatrix.page.count == 140 && !FaultMatrix.page.contains { $0.contains("–") })
        let page = try TestBundles.source("docs/faults.md").split(separator: "\n").map(String.init)
        let start = try #require(page.firstIndex { $0.hasPrefix("| point | fault |") })
        let rows = Array(page.dropFirst(start + 2).prefix { $0.hasPrefix("| `") })
        #expect(rows == FaultMatrix.page, "the rows should be:\n\(FaultMatrix.page.joined(separator: "\n"))")
    }
}
