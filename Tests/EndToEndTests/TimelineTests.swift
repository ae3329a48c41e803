// TimelineTests: the event log as people read it.

import ExtensionHostTesting
import ExtensionProtocol
import TestPrograms
import Testing

@Suite struct TimelineTests {
    private let request = RequestIdentifier("4F2A91C3-0000-4000-8000-000000000000")

    @Test func eachLineSaysWhenWhatWhoAndWhatMatters() {
        var timeline = Timeline()
        let records = [
            EventRecord(sequence: 1, time: 5_000_000, event: .hostConnected, host: "notes", pid: 41),
            EventRecord(
                sequence: 2, time: 5_012_345, event: .requestCreated, request: request,
                extensionIdentifier: "org.example.share",
                host: "notes", detail: "1 item [public.url]"),
            EventRecord(
                sequence: 3, time: 5_012_400, event: .itemLoadStarted, extensionIdentifier: "org.example.share",
                host: "notes",
                pid: 42,
                detail: "attachment 0 as public.url"),
            EventRecord(
                sequence: 4, time: 6_500_000, event: .hostStateChanged, host: "notes", from: "active", to: "inactive"),
            EventRecord(
                sequence: 5, time: 4_999_000, event: .processExited, extensionIdentifier: "org.example.share", pid: 42,
                cause: .crashed,
                detail: "signal 4"),
        ]
        #expect(
            records.map { timeline.line($0) } == [
                "+    0.000 ms  host.connected       notes                       pid 41",
                "+   12.345 ms  request.created      org.example.share                        from notes: 1 item [public.url]  #4F2A91C3",
                "+   12.400 ms  item.loadStarted     org.example.share           pid 42       asks notes for attachment 0 as public.url",
                "+ 1500.000 ms  host.stateChanged    notes                                    active → inactive",
                "-    1.000 ms  process.exited       org.example.share           pid 42       crashed: signal 4",
            ])
    }

    @Test func whatABundleSaysOfItselfCannotSteerATerminal() {
        var timeline = Timeline()
        let record = EventRecord(
            sequence: 1, time: 0, event: .registryChanged, extensionIdentifier: "a\u{1b}[2J",
            detail: "line\nbreak\u{9b}\u{202e}")
        #expect(
            timeline.line(record)
                == "+    0.000 ms  registry.changed     a\\u{1b}[2J                               line\\nbreak\\u{9b}\\u{202e}"
        )
    }

    @Test func coloursFollowTheKindAndAreLeftOutWhenNotAskedFor() {
        let record = EventRecord(sequence: 1, time: 0, event: .requestCompleted, host: "notes")
        var plain = Timeline()
        var coloured = Timeline(isColoured: true)
        #expect(!plain.line(record).contains("\u{1b}"))
        #expect(coloured.line(record).contains("\u{1b}[32mrequest.completed"))
    }

    @Test func aGapSaysHowManyEventsAreLost() {
        #expect(Timeline.gap(after: 3, before: 10) == "… 6 events are lost: the log no longer has the events 4 to 9")
    }
}
