// FilesAndTimesTests: intents of file access, durations in words, and sources of memory pressure.

import Dispatch
import ExtensionFoundation
import Foundation
import LinuxSystem
import Testing

@Suite struct FilesAndTimesTests {
    @Test("a coordinator calls the accessor of intents on their queue, with the given file and no error")
    func intents() async throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let file = URL(fileURLWithPath: folder.path + "/note.txt")
        try Data("one".utf8).write(to: file)
        let intent = NSFileAccessIntent.readingIntent(with: file, options: .withoutChanges)
        let queue = OperationQueue()
        let read: (String, Bool) = await withCheckedContinuation { done in
            NSFileCoordinator().coordinate(with: [intent], queue: queue) { error in
                let text = try? String(contentsOf: intent.url, encoding: .utf8)
                done.resume(returning: (text ?? "", OperationQueue.current === queue && error == nil))
            }
        }
        #expect(read.0 == "one" && read.1)
    }

    @Test("a class has its name as its description, with its module")
    func classNames() {
        final class Cell: NSObject {}
        #expect(Cell.description().hasSuffix("Cell") && NSObject.description().contains("NSObject"))
    }

    private func formatter(
        _ style: DateComponentsFormatter.UnitsStyle, _ units: NSCalendar.Unit,
        _ zeros: DateComponentsFormatter.ZeroFormattingBehavior = .default
    ) -> DateComponentsFormatter {
        let formatter = DateComponentsFormatter()
        (formatter.unitsStyle, formatter.allowedUnits, formatter.zeroFormattingBehavior) = (style, units, zeros)
        return formatter
    }

    // not simulated: N-275
    @Test("durations have the words of their style")
    func durations() {
        let time: NSCalendar.Unit = [.hour, .minute, .second]
        #expect(formatter(.abbreviated, [.hour, .minute]).string(from: 5_425) == "1h 30m")
        #expect(formatter(.brief, time).string(from: 3_605) == "1hr 5sec")
        #expect(formatter(.short, time).string(from: 7_380) == "2 hr, 3 min")
        #expect(formatter(.full, [.day, .hour]).string(from: 90_000) == "1 day, 1 hour")
        #expect(formatter(.full, [.minute]).string(from: 180) == "3 minutes")
        #expect(formatter(.spellOut, [.hour]).string(from: 7_200) == "two hours")
        #expect(formatter(.abbreviated, [.minute]).string(from: -120) == "-2m")
    }

    @Test("zeros are dropped or padded as asked, and a duration of nothing keeps its smallest unit")
    func zeros() {
        let time: NSCalendar.Unit = [.hour, .minute, .second]
        #expect(formatter(.positional, time).string(from: 3_610) == "1:00:10")
        #expect(formatter(.positional, time).string(from: 65) == "1:05")
        #expect(formatter(.positional, [.minute, .second], .pad).string(from: 65) == "01:05")
        #expect(formatter(.abbreviated, [.hour, .minute]).string(from: 3_600) == "1h")
        #expect(formatter(.abbreviated, [.hour, .minute]).string(from: 0) == "0m")
        #expect(formatter(.abbreviated, time, .dropTrailing).string(from: 3_600) == "1h")
        let two = formatter(.abbreviated, time)
        two.maximumUnitCount = 2
        #expect(two.string(from: 3_661) == "1h 1m")
    }

    @Test("components, dates and numbers are durations; others have no words")
    func values() {
        let formatter = formatter(.abbreviated, [.hour, .minute])
        #expect(formatter.string(from: DateComponents(hour: 2, minute: 5)) == "2h 5m")
        #expect(formatter.string(from: Date(timeIntervalSince1970: 0), to: Date(timeIntervalSince1970: 60)) == "1m")
        #expect(formatter.string(for: NSNumber(value: 120)) == "2m" && formatter.string(for: "x") == nil)
        #expect(formatter.string(from: .infinity) == nil)
        // The calendar converts components into the allowed units.
        #expect(formatter.string(from: DateComponents(second: 3_661)) == "1h 1m")
        #expect(formatter.string(from: DateComponents(minute: 90)) == "1h 30m")
        #expect(formatter.string(from: DateComponents(hour: 1, minute: -30)) == "30m")
        #expect(formatter.string(from: DateComponents(hour: -1, minute: -30)) == "-1h 30m")
        #expect(formatter.string(from: DateComponents(hour: Int.min)) == nil)
        #expect(formatter.string(from: DateComponents(nanosecond: 5)) == nil)
        #expect(
            DateComponentsFormatter.localizedString(from: DateComponents(day: 1), unitsStyle: .full) == "1 day")
    }

    // not simulated: N-274
    @Test("a source of memory pressure is silent, and calls the handler of its cancel once")
    func pressure() async {
        let source = DispatchSource.makeMemoryPressureSource(eventMask: .critical)
        let (ends, continuation) = AsyncStream.makeStream(of: String.self)
        source.setEventHandler { continuation.yield("event") }
        source.setCancelHandler {
            continuation.yield("cancelled")
            continuation.finish()
        }
        source.activate()
        #expect(source.mask == .critical && source.data == [] && !source.isCancelled)
        source.cancel()
        source.cancel()
        #expect(source.isCancelled)
        var all: [String] = []
        for await end in ends { all.append(end) }
        #expect(all == ["cancelled"])
    }
}
