// DescriptorStore: descriptors that the service manager stores for the next start of the daemon (systemd.service(5),
// FileDescriptorStoreMax=).

internal import CSystemd
internal import Glibc

/// The manager's store. It has its own copies; the descriptors of the daemon stay the daemon's.
public enum DescriptorStore {
    /// Whether there is a manager that could have a store. Only the next start shows whether it stores anything.
    public static var isThere: Bool { getenv("NOTIFY_SOCKET") != nil }

    /// Stores all of these under one name, in one message: none of them is stored without the others.
    ///
    /// The next start finds them among `ActivationSocket.takeAll`, in any order. They stay until they are removed,
    /// whatever happens at their other ends.
    public static func keep(_ descriptors: [Int32], as name: String) throws(LoopError) {
        _ = try LoopError.check(
            "sd_pid_notify_with_fds",
            descriptors.withUnsafeBufferPointer {
                sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDPOLL=0\nFDNAME=\(name)", $0.baseAddress, UInt32($0.count))
            })
    }

    /// Removes all descriptors of this name from the store.
    public static func remove(_ name: String) throws(LoopError) {
        _ = try LoopError.check("sd_notify", sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(name)"))
    }

    // MARK: Room

    /// Reports how many descriptors the manager stores for this service, or nil if it does not say.
    ///
    /// systemd 254 says it in `$FDSTORE`. The daemon asks older ones at their own socket, which needs no message bus.
    ///
    /// - Parameter manager: the path of that socket.
    /// - Parameter answer: called once, at the end of an iteration of the loop.
    /// - Returns: the connection, which has to live until then; nil where none is needed.
    @HostActor
    public static func askForRoom(
        of manager: String, _ answer: @escaping @HostActor (Int?) -> Void
    ) -> AnyObject? {
        // The answer must not come inside a callback of the connection, which the caller then releases.
        func end(_ count: Int?) { EventLoop.shared.atEndOfIteration { answer(count) } }
        if let text = getenv("FDSTORE"), let count = Int(String(cString: text)) {
            end(count)
            return nil
        }
        guard let peer = try? Bus(.peer("unix:path=\(manager)")) else {
            end(nil)
            return nil
        }
        let name = "org.freedesktop.systemd1"
        peer.call("GetUnitByPID", of: "\(name).Manager", at: "/org/freedesktop/systemd1") { message throws(BusError) in
            try message.append(UInt32(getpid()))
        } answer: { [weak peer] unit in
            guard let peer, let path = try? unit.get().readObjectPath() else { return end(nil) }
            peer.call("Get", of: "org.freedesktop.DBus.Properties", at: path) { message throws(BusError) in
                try message.append("\(name).Service")
                try message.append("FileDescriptorStoreMax")
            } answer: { value in
                end((try? value.get().readUInt32Variant()).map { Int($0) })
            }
        }
        return peer
    }
}
