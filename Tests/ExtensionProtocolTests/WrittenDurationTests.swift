// Durations as people write them: what is read, what is refused, and that nothing is too much.

import ExtensionProtocol
import Testing

@Suite struct WrittenDurationTests {
    private static let table: [(text: String, duration: Duration)] = [
        ("0", .zero), ("3", .seconds(3)), ("3s", .seconds(3)), ("3sec", .seconds(3)), ("0.5", .milliseconds(500)),
        ("500ms", .milliseconds(500)), ("1.5ms", .microseconds(1500)), ("7us", .microseconds(7)),
        ("2min", .seconds(120)),
        ("2m", .seconds(120)), ("1h", .seconds(3600)), ("0.25h", .seconds(900)), (".5s", .milliseconds(500)),
        ("1.", .seconds(1)),
        ("999999999", .seconds(999_999_999)),
    ]

    @Test(arguments: table.indices)
    func aNumberWithAUnitIsRead(_ row: Int) {
        #expect(Duration(written: Self.table[row].text) == Self.table[row].duration)
    }

    @Test(arguments: [
        "", "s", ".", "-1s", "+1s", "1 s", " 1s", "1s ", "1d", "1ss", "1S", "1e3", "1.2.3", "inf", "nan", "0x10", "½",
        "٣s",
        "1,5s",
        "1000000000",
    ])
    func whatIsNoDurationIsRefused(_ text: String) {
        #expect(Duration(written: text) == nil)
    }

    @Test(arguments: ["999999999h", "999999999min", "999999999.9m", "277778h"])
    func aDurationOverABillionSecondsIsRefusedWhateverItsUnit(_ text: String) {
        #expect(Duration(written: text) == nil)
    }
}
