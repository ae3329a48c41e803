// OSLogTests: what sources of Apple's systems log, as lines on standard error.

import Foundation
import Testing

@testable import OSLog

@Suite struct OSLogTests {
    @Test func aFormatHasItsValues() {
        let table: [(String, [any CVarArg], String)] = [
            ("no values", [], "no values"),
            ("%@ and %{public}@", ["a", ["b": 1]], "a and [\"b\": 1]"),
            ("%d of %ld, %x", [1, 2, 255], "1 of 2, ff"),
            ("%.2f s", [1.234], "1.23 s"),
            ("%{private}s", ["text"], "text"),
            ("100 %% of %@", ["x"], "100 % of x"),
            ("%@ is missing %@", ["one"], "one is missing %@"),
            ("ends in %", ["x"], "ends in %"),
        ]
        for (format, values, text) in table { #expect(formatted(format, values) == text) }
    }

    @Test func valuesStandInMessages() {
        let optional: String? = nil
        let message: OSLogMessage =
            "a \("b", privacy: .public) \(12, align: .right(columns: 4)) \(255, format: .hex(includePrefix: true)) \(1.5, format: .fixed(precision: 2)) \(optional)"
        #expect(message.text == "a b   12 0xff 1.50 nil")
    }

    @Test func everyLevelIsALine() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let logger = Logger(subsystem: "org.example", category: "share")
            let count = 3
            logger.info("loaded \(count)")
            logger.error("failed")
            os_log(.debug, "plain")
            os_log("format %@", type: .fault, "x")
            os_log(.error, log: OSLog(subsystem: "s", category: "c"), "%@", ["k": 1] as Any as! any CVarArg)
            os_log("nobody hears it", log: .disabled)
            exit(0)
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            lines == """
                [org.example:share] info: loaded 3
                [org.example:share] error: failed
                debug: plain
                fault: format x
                [s:c] error: ["k": 1]

                """)
    }

    @Test func aLockGuardsItsState() {
        let lock = OSAllocatedUnfairLock(initialState: 0)
        DispatchQueue.concurrentPerform(iterations: 100) { _ in lock.withLock { $0 += 1 } }
        #expect(lock.withLock { $0 } == 100)
    }
}
