// StatisticsReport: all metrics as families, each with its description (docs/service.md, "Metrics").

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionProtocol

extension Metrics {
    /// Returns all metrics, with gauges of the present state.
    func report(in engine: Engine) -> Statistics {
        Statistics(
            started: engine.context.started, time: Int(engine.context.clock.wallClockNow / 1000),
            metrics: counters + gauges(of: engine) + histograms)
    }

    private var counters: [MetricFamily] {
        [
            MetricFamily(
                name: "exthost_requests", kind: .counter, help: "Requests that have ended, by outcome and cause.",
                samples: Self.byName(requests) { ["outcome", $0.outcome.rawValue, "cause", $0.rawValue] }),
            MetricFamily(
                name: "exthost_requests_served", kind: .counter,
                help: "Requests that got a process: a running one (warm), or one launched for it (cold).",
                samples: [
                    MetricSample(labels: ["start", "warm"], value: warm),
                    MetricSample(labels: ["start", "cold"], value: cold),
                ]),
            MetricFamily(
                name: "exthost_launch_failures", kind: .counter, help: "Launches that failed to start a process.",
                samples: [MetricSample(value: failedLaunches)]),
            MetricFamily(
                name: "exthost_process_ends", kind: .counter, help: "Processes that have ended, by cause.",
                samples: Self.byName(deaths) { ["cause", $0.rawValue] }),
            MetricFamily(
                name: "exthost_packets", kind: .counter,
                help: "Packets of hosts, tools and extensions, without credit.",
                samples: [
                    MetricSample(labels: ["direction", "received"], value: received.packets),
                    MetricSample(labels: ["direction", "sent"], value: sent.packets),
                ]),
            MetricFamily(
                name: "exthost_packet_bytes", kind: .counter, unit: "bytes",
                help: "Bytes of these packets, without the contents of memory files.",
                samples: [
                    MetricSample(labels: ["direction", "received"], value: received.bytes),
                    MetricSample(labels: ["direction", "sent"], value: sent.bytes),
                ]),
            MetricFamily(
                name: "exthost_refused_accesses", kind: .counter,
                help: "Calls of extensions that the confinement has denied.",
                samples: [MetricSample(value: refusedAccesses)]),
            MetricFamily(
                name: "exthost_refused_connections", kind: .counter,
                help: "Connections that were refused or sent no hello.",
                samples: [MetricSample(value: refusedPeers)]),
        ]
    }

    private func gauges(of engine: Engine) -> [MetricFamily] {
        let processes = engine.inventory.processes.values
        return [
            MetricFamily(
                name: "exthost_hosts", kind: .gauge, help: "Connected hosts, by state.",
                samples: Self.counted(engine.inventory.hosts.values.map(\.state.rawValue), "state")),
            MetricFamily(
                name: "exthost_requests_open", kind: .gauge, help: "Requests that are not closed, by state.",
                samples: Self.counted(engine.inventory.requests.values.map(\.stateName), "state")),
            MetricFamily(
                name: "exthost_processes", kind: .gauge, help: "Processes of extensions and apps, by state.",
                samples: Self.counted(processes.map(\.state), "state")),
            MetricFamily(
                name: "exthost_log_events", kind: .gauge, help: "Events that the log holds for watchers.",
                samples: [MetricSample(value: engine.context.log.lastSequence - engine.context.log.oldestSequence + 1)]),
            MetricFamily(
                name: "exthost_log_sequence", kind: .gauge, help: "The number of the last event.",
                samples: [MetricSample(value: engine.context.log.lastSequence)]),
            MetricFamily(
                name: "exthost_memory_bytes", kind: .gauge, unit: "bytes", help: "Resident memory of the daemon.",
                samples: Engine.residentMemory.now.map { [MetricSample(value: $0)] } ?? []),
        ]
    }

    private var histograms: [MetricFamily] {
        func family(_ name: String, _ help: String, _ samples: [(labels: [String], histogram: Histogram)])
            -> MetricFamily
        {
            MetricFamily(
                name: name, kind: .histogram, unit: "seconds", help: help,
                bounds: Histogram.bounds.map { Double($0) / 1e9 },
                samples: samples.map {
                    MetricSample(
                        labels: $0.labels, value: $0.histogram.count, buckets: $0.histogram.buckets,
                        sum: $0.histogram.sum)
                })
        }
        return [
            family(
                "exthost_delivery_seconds", "From a host's begin to the request's delivery to the extension.",
                [(["start", "warm"], delivery.warm), (["start", "cold"], delivery.cold)]),
            family(
                "exthost_request_seconds", "From a host's begin to the message that its request has ended.", [([], end)]
            ),
            family("exthost_launch_seconds", "From the spawn of an extension to its hello.", [([], launch)]),
            family(
                "exthost_acknowledgement_seconds",
                "From that message to the host's acknowledgement, where the extension waits for it.",
                [([], acknowledgement)]),
        ]
    }

    private static func byName(_ counts: [Cause: Int], _ labels: (Cause) -> [String]) -> [MetricSample] {
        counts.sorted { $0.key.rawValue < $1.key.rawValue }.map {
            MetricSample(labels: labels($0.key), value: $0.value)
        }
    }

    private static func counted(_ names: [String], _ label: String) -> [MetricSample] {
        var counts: [String: Int] = [:]
        for name in names { counts[name, default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { MetricSample(labels: [label, $0.key], value: $0.value) }
    }
}
