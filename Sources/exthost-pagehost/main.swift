// exthost-pagehost: shows one page at a time for a host, in an engine.
//
//     exthost-pagehost ENGINE
//
// Descriptor 3 is the socket of the host (PageFrame). The host confines this process, limits its memory and time, and
// ends it with all its children.

import Glibc
import LinuxDescriptors
import PageEngines
import PageMessages

private let socketNumber: Int32 = 3

private func fail(_ words: String, _ status: Int32) -> Never {
    let line = "exthost-pagehost: \(words)\n"
    _ = line.withCString { write(2, $0, strlen($0)) }
    exit(status)
}

/// Reads bytes. Returns nil at the end of the host.
private func receive(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
        let part = bytes.withUnsafeMutableBytes { recv(socketNumber, $0.baseAddress! + done, count - done, 0) }
        if part < 0, errno == EINTR { continue }
        guard part > 0 else { return nil }
        done += part
    }
    return bytes
}

private func send(_ answer: PageAnswer) {
    let bytes: [UInt8]
    do { bytes = try PageFrame.encode(answer) } catch { fail("cannot write its answer: \(error)", 70) }
    var done = 0
    while done < bytes.count {
        let part = bytes.withUnsafeBytes {
            Glibc.send(socketNumber, $0.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
        }
        if part < 0, errno == EINTR { continue }
        guard part > 0 else { exit(0) }
        done += part
    }
}

guard CommandLine.arguments.count == 2, let kind = PageEngineKind(rawValue: CommandLine.arguments[1]) else {
    let names = PageEngineKind.allCases.map(\.rawValue).joined(separator: " | ")
    fail("usage: exthost-pagehost \(names). Hosts run it", 64)
}
var status = stat()
guard fstat(socketNumber, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
    fail("descriptor 3 is not the socket of a host. Hosts run this program", 66)
}
var session: PageSession?
var fault: PageFault?
do throws(PageFault) { session = PageSession(try PageEngineTypes.start(kind)) } catch { fault = error }
while let header = receive(PageFrame.header) {
    guard let length = PageFrame.length(header), let list = receive(length) else { exit(0) }
    guard let command = try? PageFrame.decode(PageCommand.self, from: list) else { exit(0) }
    send(session?.answer(command) ?? .fault(fault ?? .engine("there is no engine")))
}
exit(0)
