// Listener: a listening socket that never accepts.

import Glibc
import LinuxSystem

final class Listener {
    private var descriptor: SharedDescriptor?

    init(abstractName name: String) throws {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = SharedDescriptor(owning: Glibc.socket(AF_UNIX, type, 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A leading zero byte, then the name: unix(7).
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            UnsafeMutableRawBufferPointer(rebasing: path.dropFirst()).copyBytes(from: name.utf8)
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket.raw, $0, length) }
        }
        guard bound == 0, listen(socket.raw, 1) == 0 else { throw SystemError("bind") }
        descriptor = socket
    }

    func close() { descriptor = nil }
}
