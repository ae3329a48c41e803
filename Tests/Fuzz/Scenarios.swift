// scenarios: any text as a scenario file: read, or refused with every fault, its place in the text and its remedy.

import ExtensionProtocol
import Scenarios

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = InputReader(start, count)
    let text = String(decoding: input.all(), as: UTF8.self)
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let scenario: Scenario
    do {
        scenario = try Scenario(reading: text)
    } catch {
        must(!error.faults.isEmpty, "refused without a fault")
        var last = 0
        for fault in error.faults {
            must(fault.message.utf8.count < 2000, "a fault of \(fault.message.utf8.count) bytes")
            must(!fault.message.isEmpty && !fault.remedy.isEmpty, "a fault without a remedy")
            // The end of the file is a place, too.
            must(fault.line >= 1 && fault.line <= lines.count + 1, "line \(fault.line) of \(lines.count)")
            let length = fault.line <= lines.count ? lines[fault.line - 1].count : 0
            must(fault.column >= 1 && fault.column <= length + 1, "column \(fault.column) of \(length)")
            must(fault.line >= last, "faults out of their order")
            last = fault.line
        }
        return 0
    }
    must(!scenario.tests.isEmpty, "a scenario without a test")
    // Read without its last line break, or with a comment behind it, it is the same.
    must((try? Scenario(reading: text + "\n# and no more")) == scenario, "a comment changes the scenario")
    return 0
}
