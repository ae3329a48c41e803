// StatsTests: the daemon's figures: that they count what happened, and are text that monitoring systems read.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import TestPrograms
import Testing

@Suite struct StatsTests {
    /// Three requests by two processes: two completed by one process, one that crashed another.
    private func withFigures(_ body: (TestDaemon) async throws -> Void) async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=1h"]) { daemon in
            let host = try await daemon.host("notes")
            for act in [order("count"), order("handler", "quick")] {
                let request = try await host.begin(puppet, items: [act])
                #expect(await request.outcome.kind == .completed)
            }
            let crash = try await host.begin(puppet, items: [order("crash")])
            #expect(await crash.outcome.cause == .crashed)
            _ = await crash.exit
            try await body(daemon)
        }
    }

    @Test func theyCountWhatHappened() async throws {
        try await withFigures { daemon in
            let text = try OpenMetricsText(try await control(["stats", "--openmetrics"], daemon).output)
            func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
                text.families.values.lazy.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
            }
            #expect(value("exthost_requests_total", ["outcome": "completed", "cause": "completed"]) == 2)
            #expect(value("exthost_requests_total", ["outcome": "interrupted", "cause": "crashed"]) == 1)
            #expect(value("exthost_requests_served_total", ["start": "cold"]) == 1)
            #expect(value("exthost_requests_served_total", ["start": "warm"]) == 2)
            #expect(value("exthost_process_ends_total", ["cause": "crashed"]) == 1)
            #expect(value("exthost_launch_failures_total") == 0)
            #expect(value("exthost_hosts", ["state": "active"]) == 1)
            #expect(value("exthost_launch_seconds_count") == 1)
            #expect(value("exthost_request_seconds_count") == 3)
            // The host acknowledges what a completion handler follows.
            #expect(value("exthost_acknowledgement_seconds_count") == 1)
            #expect(value("exthost_delivery_seconds_count", ["start": "cold"]) == 1)
            #expect(value("exthost_delivery_seconds_count", ["start": "warm"]) == 2)
            #expect(try #require(value("exthost_packets_total", ["direction": "received"])) >= 7)
            #expect(try #require(value("exthost_packet_bytes_total", ["direction": "sent"])) > 1000)
            #expect(try #require(value("exthost_log_sequence")) > 10)
            // What has a unit says so, and the other way round.
            for (name, family) in text.families {
                #expect(family.unit == ["seconds", "bytes"].first { name.hasSuffix("_\($0)") }, "\(name)")
                #expect(family.help?.hasSuffix(".") == true, "\(name)")
            }
        }
    }

    @Test func theSameAsJSONAndForPeople() async throws {
        try await withFigures { daemon in
            let document = try await json(["stats"], daemon)
            let metrics = try #require(document["metrics"] as? [[String: Any]])
            let requests = try #require(metrics.first { $0["name"] as? String == "exthost_requests" })
            let samples = try #require(requests["samples"] as? [[String: Any]])
            #expect(
                samples.contains {
                    $0["value"] as? Int == 2 && ($0["labels"] as? [String: String])?["cause"] == "completed"
                })
            let launch = try #require(metrics.first { $0["name"] as? String == "exthost_launch_seconds" })
            let histogram = try #require((launch["samples"] as? [[String: Any]])?.first)
            let buckets = try #require(histogram["buckets"] as? [[String: Any]])
            #expect(histogram["count"] as? Int == 1 && buckets.compactMap { $0["count"] as? Int }.reduce(0, +) == 1)
            #expect(buckets.last?["le"] is NSNull)
            let table = try await control(["stats"], daemon).output
            #expect(
                table.contains("requests") && table.contains("completed completed") && table.contains("mean"),
                "\(table)")
            #expect(try await control(["stats", "--json", "--openmetrics"], daemon).status == 64)
        }
    }

    /// The reader that the others trust refuses what the format does not allow.
    @Test(arguments: [
        "x 1\n# EOF\n", "# TYPE x counter\nx 1\n# EOF\n", "# TYPE x gauge\nx 1\n",
        "# TYPE x gauge\nx{a=\"b} 1\n# EOF\n",
        "# TYPE x gauge\nx 1\nx 1\n# EOF\n", "# TYPE x counter\nx_total -1\n# EOF\n",
        "# TYPE x gauge\n# UNIT x seconds\nx 1\n# EOF\n",
        "# TYPE x histogram\nx_bucket{le=\"1.0\"} 2\nx_bucket{le=\"+Inf\"} 1\nx_count 1\nx_sum 1\n# EOF\n",
        "# TYPE x histogram\nx_bucket{le=\"1.0\"} 1\nx_count 1\nx_sum 1\n# EOF\n",
        "# TYPE x gauge\nx 1\n# TYPE y gauge\ny 1\n# TYPE x gauge\n# EOF\n", "# TYPE x gauge\nx 1\n\n# EOF\n",
        "# EOF\n# EOF\n",
    ])
    func whatIsNoOpenMetricsIsSeen(_ text: String) {
        #expect(throws: OpenMetricsText.Fault.self) { _ = try OpenMetricsText(text) }
    }
}
