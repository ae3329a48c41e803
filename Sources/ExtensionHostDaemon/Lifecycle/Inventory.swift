// Inventory: the hosts, requests and processes that there are, by their names and numbers.

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// A table of each. The part that makes an object enters it here.
@HostActor
final class Inventory {
    var hosts: [String: Host] = [:]
    private(set) var requests: [RequestIdentifier: Request] = [:]
    private(set) var processes: [Int: ExtensionProcess] = [:]
    let programs = ProgramTable()
    /// Each event with a pid is looked up here.
    private var numbersByPid: [Int: Int] = [:]
    /// The recent dead, for `exits`.
    var deaths = DeathRegister()
    private var lastRequest = 0
    private static let closedKept = 4096
    private var closed: [RequestIdentifier] = []
    private var closedHead = 0
    private var closedSet: Set<RequestIdentifier> = []

    nonisolated init() {}

    // MARK: Requests

    func add(_ request: Request) { requests[request.identifier] = request }

    /// The request is over. Its identifier is remembered for a while, so that a begin said again does not begin again.
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

    /// Whether a request of this identifier has been closed, as far back as the daemon remembers.
    func hasClosed(_ request: RequestIdentifier) -> Bool { closedSet.contains(request) }

    func nextRequestNumber() -> Int {
        lastRequest += 1
        return lastRequest
    }

    /// Another daemon has given the numbers up to this one.
    func goOnCounting(fromRequest number: Int) { lastRequest = max(lastRequest, number) }

    var requestsInOrder: [Request] { requests.values.sorted { $0.number < $1.number } }

    /// The requests of a host, as they came.
    func requests(of host: Host) -> [Request] {
        host.requests.compactMap { requests[$0] }.sorted { $0.number < $1.number }
    }

    /// A request, if it is this host's.
    func request(_ identifier: RequestIdentifier, of host: Host) -> Request? {
        host.requests.contains(identifier) ? requests[identifier] : nil
    }

    // MARK: Processes

    /// What a process of this bundle runs, under this user.
    func program(of bundle: ExtensionBundle, as identity: UserIdentity?, prewarmed: Int) -> Program {
        // Each user of each bundle has one, and strangers must not fill the memory.
        if programs.isFull {
            let running = Set(processes.values.map(\.program))
            programs.prune { program, _, _ in running.contains(program) }
        }
        return programs.program(of: bundle, as: identity, prewarmed: prewarmed)
    }

    func add(_ process: ExtensionProcess) {
        processes[process.number] = process
        numbersByPid[process.pid] = process.number
    }

    func remove(_ process: ExtensionProcess) {
        processes[process.number] = nil
        if numbersByPid[process.pid] == process.number { numbersByPid[process.pid] = nil }
    }

    /// Replaces the pid of the init by that of the program, which has started.
    private func hasBegun(_ number: Int, pid: Int, inPlaceOf before: Int) {
        guard processes[number] != nil else { return }
        if numbersByPid[before] == number { numbersByPid[before] = nil }
        numbersByPid[pid] = number
    }

    /// The running process with this pid.
    func process(withPid pid: Int) -> ExtensionProcess? { numbersByPid[pid].flatMap { processes[$0] } }

    /// As they were launched.
    var processesInOrder: [ExtensionProcess] { processes.values.sorted { $0.number < $1.number } }

    // MARK: Whose an event is

    /// Whose an event is, in the system's daemon: only that user, and root, gets to see it.
    func owner(of record: EventRecord) -> EventOwner {
        if let host = record.host, let user = host.split(separator: "/").first.flatMap({ UInt32($0) }) { return .user(user) }
        if let request = record.request, let known = requests[request] { return .user(known.user) }
        if let pid = record.pid, pid != Int(getpid()) {
            return process(withPid: pid)?.user.map { .user($0) } ?? .nobody
        }
        return record.host == nil && record.request == nil ? .everybody : .nobody
    }

    /// Whose doing an event is, for the bound on lines: a host's process, an extension, a process; nil: the daemon's
    /// own.
    func source(of record: EventRecord) -> String? {
        if let name = record.host {
            return (hosts[name].map { Int($0.credentials.pid) } ?? record.pid).map { "process \($0)" } ?? "host \(name)"
        }
        if let identifier = record.extensionIdentifier { return identifier }
        guard let pid = record.pid else { return record.event == EventName.peerRefused.rawValue ? "others" : nil }
        return pid == Int(getpid()) ? nil : "process \(pid)"
    }

    /// The requests that an event of a process belongs to.
    func requests(concernedBy record: EventRecord) -> [RequestIdentifier] {
        guard let pid = record.pid, let process = process(withPid: pid) else { return [] }
        // Each of its requests ends with it, also those that it has answered.
        return record.event == EventName.processExited.rawValue ? process.served : process.story
    }
}

extension Inventory: EventObserver {
    func happened(_ event: LifecycleEvent) {
        if case .process(let process, .begun(let pid, let before)) = event { hasBegun(process, pid: pid, inPlaceOf: before) }
    }
}

extension Inventory: TurnParties {
    func turnProcess(_ number: Int) -> (any TurnProcess)? { processes[number] }

    var turnProcesses: [any TurnProcess] { processesInOrder }

    func pid(ofHost name: String) -> Int32? { hosts[name]?.credentials.pid }
}
