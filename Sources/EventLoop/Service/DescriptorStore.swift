// DescriptorStore: descriptors that the service manager keeps for the next start of the daemon (systemd.service(5), FileDescriptorStoreMax=).

internal import CSystemd
internal import Glibc

/// The manager's store. It keeps its own copies; those of the daemon stay the daemon's.
public enum DescriptorStore {
    /// Whether there is a manager that could have one. It does not say whether it keeps anything: that shows at the next start.
    public static var isThere: Bool { getenv("NOTIFY_SOCKET") != nil }

    /// Hands all of these over under one name, in one message: none of them is kept without the others. The next start finds them among
    /// `ActivationSocket.takeAll`, in any order. They stay until they are removed, whatever happens at their other ends.
    public static func keep(_ descriptors: [Int32], as name: String) throws(LoopError) {
        _ = try LoopError.check(
            "sd_pid_notify_with_fds",
            descriptors.withUnsafeBufferPointer {
                sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDPOLL=0\nFDNAME=\(name)", $0.baseAddress, UInt32($0.count))
            })
    }

    /// Takes all of this name out of the store.
    public static func remove(_ name: String) throws(LoopError) {
        _ = try LoopError.check("sd_notify", sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(name)"))
    }
}
