// FakeDaemon: fixed answers for the bus objects, and a log of what they were asked to do.

import EventLoop

@HostActor
final class FakeDaemon: ManagerObjectDelegate, LogControlDelegate {
    let version = "1.2.3"
    var activeRequests: UInt32 = 3
    let runningExtensions: UInt32 = 2
    let sandbox = "none"
    var limits = "memory=rlimit"
    let treeKill = "cgroup"
    var log: [String] = []

    func listExtensions() -> [ManagerObject.Extension] {
        [
            ManagerObject.Extension(
                identifier: "com.example.share", version: "1.0", point: "com.apple.share-services",
                path: "/apps/Ä.appex",
                election: "use")
        ]
    }

    func listRequests() -> [ManagerObject.Request] {
        [ManagerObject.Request(request: "R-1", extension: "com.example.share", host: "editor", state: "active")]
    }

    func listHosts() -> [ManagerObject.Host] {
        [
            ManagerObject.Host(host: "editor", uid: 1000, state: "active", sequence: .max),
            ManagerObject.Host(host: "mail", uid: 0, state: "background", sequence: 7),
        ]
    }

    func setState(ofHost host: String, to state: String, caller: BusCaller) throws(BusError) {
        guard host == "editor" else {
            throw BusError(name: "org.exthost.ExtensionHost1.Error.NoSuchHost", message: "there is no host \(host)")
        }
        log.append("\(host) → \(state) by \(caller.uid)")
    }

    func cancelRequest(_ request: String, caller: BusCaller) { log.append("cancel \(request) by \(caller.uid)") }

    private(set) var logLevel = "info"
    private(set) var logTarget = "console"
    let syslogIdentifier = "exthostd"

    func setLogLevel(_ level: String) throws(BusError) {
        guard ["info", "debug"].contains(level) else { throw .invalidArguments("no level \(level)") }
        logLevel = level
    }

    func setLogTarget(_ target: String) { logTarget = target }
}
