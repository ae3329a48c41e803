// HostileInputTests: every hostile input ends in its error, at once and in little memory.

import Glibc
import PropertyListCoding
import Testing

@Suite struct HostileInputTests {
    @Test(arguments: HostileInput.all) func `is refused by name`(input: HostileInput) {
        #expect(input.refusal() == input.error)
    }

    @Test(arguments: HostileInput.all) func `its error is one readable line`(input: HostileInput) throws {
        let error = try #require(throws: PropertyListError.self) { try input.read() }
        #expect(error.description.utf8.count < 300)
        #expect(!error.description.contains("\n"))
    }

    @Test func `more bytes than allowed are refused unread, whoever is asked`() {
        let limits = PropertyListLimits(bytes: 99, objects: 1, depth: 1, expandedNodes: 1, expandedBytes: 1)
        let bytes = [UInt8](repeating: 0x20, count: 100)
        let error = PropertyListError.tooManyBytes(count: 100, limit: 99)
        #expect(throws: error) { try PropertyList(binary: bytes, limits: limits) }
        #expect(throws: error) { try PropertyList(xml: bytes, limits: limits) }
        #expect(throws: error) { try PropertyList(file: bytes, limits: limits) }
        #expect(error.description == "the property list has 100 bytes; the limit is 99")
    }

    /// In a process of its own, whose memory no other test touches. A sanitizer multiplies time and memory several
    /// times over: in its builds the figures say nothing.
    @Test(.disabled(if: isSanitized, "a sanitizer's figures are not the program's"))
    func `each is refused in less than 10 ms and 16 MiB`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for limits in [PropertyListLimits.packet, .payload, .file] {
                for input in HostileInput.all where input.bytes.count <= limits.bytes {
                    // A bomb may stand for less than the widest budgets: then it is read, as quickly.
                    var nanoseconds = UInt64.max
                    let before = peakKiB()
                    for _ in 0..<20 where nanoseconds >= 10_000_000 {
                        nanoseconds = min(nanoseconds, time { _ = input.refusal(limits) })
                    }
                    let growth = peakKiB() - before
                    if nanoseconds >= 10_000_000 || growth >= 16 << 10 {
                        let line = "\(input.name): \(nanoseconds / 1000) us, \(growth) KiB\n"
                        _ = write(2, line, line.utf8.count)
                    }
                }
            }
        }
        // The library that runs the test writes marks of its own there, too.
        let complaints = try String(decoding: #require(result).standardErrorContent, as: UTF8.self)
        #expect(!complaints.contains("KiB"), "\(complaints)")
    }
}

/// Whether this program was built for the address or the thread sanitizer: it then holds that runtime's entry.
private let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

/// Of a processor: what else the machine has to do meanwhile does not count.
private func time(_ work: () -> Void) -> UInt64 {
    var (start, end) = (timespec(), timespec())
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
    work()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
    return UInt64((end.tv_sec - start.tv_sec) * 1_000_000_000 + (end.tv_nsec - start.tv_nsec))
}

/// The most memory this program has had resident: VmHWM in proc(5). What getrusage(2) says may be its parent's, from
/// before it was executed.
private func peakKiB() -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var text = [UInt8](repeating: 0, count: 8 << 10)
    text.removeLast(text.count - fread(&text, 1, text.count, file))
    let line = text.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "VmHWM:".utf8) } ?? []
    return Int(String(decoding: line.filter { 0x30...0x39 ~= $0 }, as: UTF8.self)) ?? 0
}
