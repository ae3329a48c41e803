// ActivationSocket: sockets that the service manager opened before the daemon started (socket activation).

internal import CSystemd
internal import Glibc
public import LinuxSystem

/// A socket that the service manager opened for the daemon.
public struct ActivationSocket: Sendable {
    /// `FileDescriptorName=` of the socket unit, by default the unit's name.
    public let name: String
    /// The socket, close-on-exec.
    public let descriptor: SharedDescriptor

    /// Takes over the sockets of `$LISTEN_FDS` (sd_listen_fds(3)); returns none if there are none or they are another
    /// process's.
    ///
    /// The method is called once, before there are other threads. It removes the variables from the environment, so
    /// that extensions do not inherit them. The result owns the descriptors.
    public static func takeAll() throws(LoopError) -> [ActivationSocket] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = try LoopError.check("sd_listen_fds_with_names", sd_listen_fds_with_names(1, &names))
        defer {
            for index in 0..<Int(count) { free(names?[index]) }
            free(names)
        }
        return (0..<count).map { index in
            ActivationSocket(
                name: names?[Int(index)].map { String(cString: $0) } ?? "unknown",
                descriptor: SharedDescriptor(owning: SD_LISTEN_FDS_START + index))
        }
    }
}
