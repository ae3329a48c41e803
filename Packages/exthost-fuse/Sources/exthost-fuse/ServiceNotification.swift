// ServiceNotification: messages to the service manager that started this program (sd_notify(3)).

import Foundation
import Glibc

enum ServiceNotification {
    /// Sends a message. Without a service manager, this does nothing.
    static func send(_ text: String) {
        guard let place = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"], place.first == "/" || place.first == "@"
        else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // An at sign stands for the zero byte of an abstract name.
        let bytes = place.first == "@" ? [0] + Array(place.utf8.dropFirst()) : Array(place.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (place.first == "@" ? 0 : 1))
        let end = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard end >= 0 else { return }
        defer { close(end) }
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(end, text, text.utf8.count, Int32(MSG_NOSIGNAL), address, length)
            }
        }
    }
}
