// Inventory: the hosts, requests and processes of the daemon, by their names and numbers.

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// The tables of hosts, requests and processes. The part of the daemon that makes an object adds it here.
@HostActor
final class Inventory {
    var hosts: [String: Host] = [:]
    private(set) var requests: [RequestIdentifier: Request] = [:]
    private(set) var processes: [Int: ExtensionProcess] = [:]
    let programs = ProgramTable()
    /// The numbers of processes by pid, for events that have a pid.
    private var numbersByPid: [Int: Int] = [:]
    /// The processes that have ended recently, for `exits`.
    var deaths = DeathRegister()
    private var lastRequest = 0
    private static let closedKept = 4096
    private var closed: [RequestIdentifier] = []
    private var closedHead = 0
    private var closedSet: Set<RequestIdentifier> = []

    nonisolated init() {}

    // MARK: Requests

    func add(_ request: Request) { requests[request.identifier] = request }

    /// Removes a request that is over.
    ///
    /// The identifier is remembered for a while, so that a repeated begin does not begin the request again.
    func forget(_ request: RequestIdentifier) {
        requests[request] = nil
        if closed.count == Self.closedKept {
            closedSet.remove(closed[closedHead])
            closed[closedHead] = request
            closedHead = (closedHead + 1) % Self.closedKept
        } else {
            closed.append(request)
        }
        closedSet.insert(request)
    }

    /// Whether a request with this identifier has been closed, as far back as the daemon remembers.
    func hasClosed(_ request: RequestIdentifier) -> Bool { closedSet.contains(request) }

    func nextRequestNumber() -> Int {
        lastRequest += 1
        return lastRequest
    }

    /// Continues the count behind the numbers that another daemon has given.
    func goOnCounting(fromRequest number: Int) { lastRequest = max(lastRequest, number) }

    var requestsInOrder: [Request] { requests.values.inOrder() }

    /// Returns the requests of a host in the order of their begin.
    func requests(of host: Host) -> [Request] {
        host.requests.compactMap { requests[$0] }.inOrder()
    }

    /// Returns a request if this host owns it.
    func request(_ identifier: RequestIdentifier, of host: Host) -> Request? {
        host.requests.contains(identifier) ? requests[identifier] : nil
    }

    // MARK: Processes

    /// Returns the program that a process of this bundle runs under this user.
    func program(
        of bundle: ExtensionBundle, as identity: UserIdentity?, _ consents: Set<String>?, prewarmed: Int
    ) -> Program {
        // The table has one entry for each user of each bundle, and strangers must not fill the memory.
        if programs.isFull {
            let running = Set(processes.values.map(\.program))
            programs.prune { program, _, _ in running.contains(program) }
        }
        return programs.program(of: bundle, as: identity, consents, prewarmed: prewarmed)
    }

    /// Returns the running processes of an extension that were launched with a user's consent.
    func processes(of identifier: String, with consent: String, of user: UInt32?) -> [ExtensionProcess] {
        processes.values.filter {
            $0.bundle.identifier == identifier && $0.user == user
                && programs.consents(of: $0.program).contains(consent)
        }
    }

    func add(_ process: ExtensionProcess) {
        processes[process.number] = process
        numbersByPid[process.pid] = process.number
    }

    func remove(_ process: ExtensionProcess) {
        processes[process.number] = nil
        if numbersByPid[process.pid] == process.number { numbersByPid[process.pid] = nil }
    }

    /// Replaces the pid of the init by the pid of the program, which has started.
    private func hasBegun(_ number: Int, pid: Int, inPlaceOf before: Int) {
        guard processes[number] != nil else { return }
        if numbersByPid[before] == number { numbersByPid[before] = nil }
        numbersByPid[pid] = number
    }

    /// Returns the running process with this pid.
    func process(withPid pid: Int) -> ExtensionProcess? { numbersByPid[pid].flatMap { processes[$0] } }

    /// The running processes in the order of their launch.
    var processesInOrder: [ExtensionProcess] { processes.values.inOrder() }

    // MARK: Whose an event is

    /// Returns the owner of an event, in the system's daemon: only that user and root may see the event.
    func owner(of record: EventRecord) -> EventOwner {
        if let host = record.host, let user = host.split(separator: "/").first.flatMap({ UInt32($0) }) {
            return .user(user)
        }
        if let request = record.request, let known = requests[request] { return .user(known.user) }
        if let pid = record.pid, pid != Int(getpid()) {
            return process(withPid: pid)?.user.map { .user($0) } ?? .nobody
        }
        return record.host == nil && record.request == nil ? .everybody : .nobody
    }

    /// Returns the source of an event, for the rate limit on lines: a host's process, an extension or a process; nil:
    /// the daemon itself.
    func source(of record: EventRecord) -> String? {
        if let name = record.host {
            return (hosts[name].map { Int($0.credentials.pid) } ?? record.pid).map { "process \($0)" } ?? "host \(name)"
        }
        if let identifier = record.extensionIdentifier { return identifier }
        guard let pid = record.pid else { return record.event == EventName.peerRefused.rawValue ? "others" : nil }
        return pid == Int(getpid()) ? nil : "process \(pid)"
    }

    /// Returns the requests that an event of a process belongs to.
    func requests(concernedBy record: EventRecord) -> [RequestIdentifier] {
        guard let pid = record.pid, let process = process(withPid: pid) else { return [] }
        // The end of the process belongs to each of its requests, also to those that it has answered.
        return record.event == EventName.processExited.rawValue ? process.served : process.story
    }
}

extension Inventory: EventObserver {
    func happened(_ event: LifecycleEvent) {
        if case .process(let process, .begun(let pid, let before)) = event {
            hasBegun(process, pid: pid, inPlaceOf: before)
        }
    }
}

extension Inventory: TurnParties {
    func turnProcess(_ number: Int) -> (any TurnProcess)? { processes[number] }

    var turnProcesses: [any TurnProcess] { processesInOrder }

    func pid(ofHost name: String) -> Int32? { hosts[name]?.credentials.pid }
}
