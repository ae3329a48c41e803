// journal: the file that a daemon leaves to the next one, as records or as any bytes: what it comes to can be gone on
// with and is written again the same, or is refused with a place.

import ExtensionPoints
import ExtensionProtocol
import LinuxSystem
import PropertyListCoding

let inputPrefix = 1
let inputWords =
    Key.allCases.map(\.rawValue) + Cause.allCases.map(\.rawValue) + HostStateName.allCases.map(\.rawValue)
    + [
        "numbers", "process", "processEnded", "served", "host", "hostGone", "request", "requestClosed", "notes",
        "1001/notes",
        "6BA7B810-9DAD-41D1-80B4-00C04FD430C8", "memory=67108864", "tasks=32", "cpu=0", "/sys/fs/cgroup/a", "/a/../b",
    ]
let inputTakesXML = false

/// The first byte says what follows: a property list, an array of records, whose heads are made here so that what is
/// read behind them is reached; or with its first bit the bytes of the file.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = InputReader(start, count)
    let mode = input.byte()
    let rest = input.all()
    let bytes = mode & 1 == 1 ? rest : journal(of: rest)
    guard let state = read(bytes) else { return 0 }
    sound(state)
    // Written anew as a whole it is the same.
    let whole = JournalRecord.mark + state.records.flatMap(\.bytes)
    guard let again = read(whole) else { finding("what was read and written is refused") }
    must(again == state, "what was read and written is another state")
    must(again.records == state.records, "it is written otherwise the second time")
    torn(whole)
    return 0
}

private func read(_ bytes: [UInt8]) -> HandedState? {
    do {
        return try JournalRecord.read(bytes)
    } catch {
        checkText(of: error)
        must(error.offset >= 0 && error.offset <= bytes.count, "a place outside of the file: \(error.offset)")
        return nil
    }
}

/// A daemon can be killed at any byte of a record: what was whole before counts, and nothing is refused for it.
private func torn(_ whole: [UInt8]) {
    guard whole.count < 8192 else { return }
    for length in stride(from: JournalRecord.mark.count, to: whole.count, by: 7) {
        must(read(Array(whole[..<length])) != nil, "a journal cut at byte \(length) is refused")
    }
}

/// What a successor relies on without looking again.
private func sound(_ state: HandedState) {
    must(state.lastProcess >= 0 && state.lastRequest >= 0, "numbers below 0")
    for (number, process) in state.processes {
        must(process.number == number && number >= 1 && number <= state.lastProcess, "a process under another number")
        must(process.root > 1 && process.pid ?? 2 > 1, "a process that nobody may signal")
        must((0..<Int.max / 2).contains(process.started), "a start that no clock tells")
        must(process.inodes.isEmpty || process.isStored, "a process that is half kept")
        must(process.identity?.uid != 0, "a process of root's")
        must(
            process.groups.allSatisfy { $0.path.hasPrefix("/") && !"\($0.path)/".contains("/../") },
            "a group outside of all groups")
        for name in ResourceLimits.Name.allCases {
            must(process.limits[name].map(name.bounds.contains) ?? true, "a limit beyond its bounds")
        }
    }
    for (name, host) in state.hosts {
        must(host.name == name && !name.isEmpty && host.token.count == 16 && host.pid > 0, "a host that cannot be")
        must(host.identity.map { $0.uid == host.user } ?? true, "a host with another user's rights")
    }
    for (identifier, request) in state.requests {
        must(
            request.request == identifier && request.number >= 1 && request.number <= state.lastRequest,
            "a request under another number")
        must((0..<Int.max / 2).contains(request.began), "a beginning that no clock tells")
        must(request.timeout.map { $0 > 0 && $0 <= 1e9 } ?? true, "a time limit that is none")
    }
    for (number, names) in state.served {
        must(!names.isEmpty && state.processes[number] != nil, "somebody is told of nobody's end")
        must(names.allSatisfy { state.hosts[$0] != nil }, "nobody is told of an end")
    }
}

private func journal(of records: [UInt8]) -> [UInt8] {
    guard let list = try? PropertyList(binary: records, limits: .packet), let values = list.array else {
        return JournalRecord.mark
    }
    var result = JournalRecord.mark
    for value in values {
        var body: [UInt8] = []
        do { try value.encodeBinary(into: &body) } catch { continue }
        for number in [UInt32(body.count), body.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }] {
            result += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        result += body
    }
    return result
}
