// Pipe: one direction of a socket pair (close-on-exec from birth, which pipe(2) cannot do), read by the loop.

import EventLoop
import Glibc
import LinuxSystem

@HostActor
final class Pipe {
    private(set) var reader: SharedDescriptor
    private(set) var writer: SharedDescriptor
    private var text = ""

    nonisolated init() throws {
        (reader, writer) = try socketPair()
    }

    func closeReader() { reader = writer }
    func closeWriter() { writer = reader }

    func write(_ text: String) {
        _ = text.withCString { Glibc.write(writer.raw, $0, strlen($0)) }
    }

    /// Reads what is there; false at the end of the file.
    @discardableResult func drain() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(reader.raw, &bytes, bytes.count)
        if count > 0 { text += String(decoding: bytes[..<count], as: UTF8.self) }
        return count > 0
    }

    func readToEnd() async throws -> String { try await read { _ in false } }

    /// Everything read so far, once it satisfies `enough` or nothing more can come.
    func read(until enough: @escaping @HostActor (String) -> Bool) async throws -> String {
        if enough(text) { return text }
        var source: IOSource?
        let result: String = try await callback { done in
            let finished = Box(false)
            source = try EventLoop.shared.watch(descriptor: reader.raw, for: .readable) { [self] _ in
                let more = drain()
                if !finished.value, !more || enough(text) {
                    finished.value = true
                    done(text)
                }
            }
        }
        source?.cancel()
        return result
    }
}

func socketPair() throws -> (SharedDescriptor, SharedDescriptor) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError("socketpair") }
    return (SharedDescriptor(owning: ends[0]), SharedDescriptor(owning: ends[1]))
}
