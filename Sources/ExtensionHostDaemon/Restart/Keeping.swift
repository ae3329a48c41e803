// Keeping: what this daemon leaves to the next one, and what it goes on with from the one before.

import EventLog
import EventLoop
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import Logging

/// Where extensions and requests are to outlive the daemon: its journal, its part of the manager's descriptor store, and the hosts that it waits for.
@HostActor
final class Keeping {
    /// How long hosts and extensions of the daemon before have to come back: real time, since none of it is the model's.
    static let patience = Duration.seconds(5)

    private unowned let engine: Engine
    private let journal: Journal
    /// What the daemon before has left; nothing from the moment that it is gone on with.
    private var left: KeptState
    private var store: [String: [SharedDescriptor]]
    /// Hosts of the daemon before that are not back.
    private var absent: [String: KeptHost] = [:]
    private var deadline: Deadline?
    /// Whether what was left could not be believed. Then what a host has open may have been begun, and is not begun again.
    private(set) var damage: String?
    /// Processes and requests that go on here.
    private(set) var adopted = (processes: 0, requests: 0)
    private var isWriting = true

    /// - Parameters:
    ///   - path: of the journal.
    ///   - store: what the service manager has passed, by name.
    init(journal path: String, store: StoredDescriptors, engine: Engine) {
        self.engine = engine
        journal = Journal(path: path)
        self.store = store.take()
        do {
            left = try journal.readBack()
        } catch {
            left = KeptState()
            damage = "\(error)"
            engine.options.logger.error("what the last daemon has left cannot be gone on with, and ends: \(path): \(error)")
        }
        journal.onFailure = { [weak self] error in
            self?.isWriting = false
            engine.options.logger.error("nothing outlives this daemon any more: \(path): \(error)")
        }
    }

    /// Whether there is anything of another daemon.
    var goesOn: Bool { !left.isEmpty || damage != nil }

    /// What there is of it, for the log.
    var inheritance: String {
        if let damage { return "what another daemon has left is not gone on with: \(damage)" }
        return
            "\(left.processes.count) processes, \(left.requests.count) requests and \(left.hosts.count) hosts of another daemon"
    }

    // MARK: Going on

    /// Takes over what can be gone on with, and ends the rest by name. To be called once, before anybody is listened to.
    func goOn() throws(SystemError) {
        var state = KeptState()
        engine.goOnCounting(fromRequest: left.lastRequest)
        engine.supervisor.goOnCounting(from: left.lastProcess)
        take(.numbers(process: left.lastProcess, request: left.lastRequest), &state)
        for host in left.hosts.values {
            absent[host.name] = host
            take(.host(host), &state)
        }
        var processes: [Int: ExtensionProcess] = [:]
        for kept in left.processes.values.sorted(by: { $0.number < $1.number }) {
            guard let process = adopt(kept) else { continue }
            processes[kept.number] = process
            take(.process(kept), &state)
        }
        var requests: [(Request, ExtensionProcess)] = []
        for var kept in left.requests.values.sorted(by: { $0.number < $1.number }) where absent[kept.host] != nil {
            if kept.end == nil, let process = kept.process.flatMap({ processes[$0] }) {
                requests.append((Request(kept, bundle: process.bundle, engine: engine), process))
            } else {
                kept.end = kept.end ?? .daemonRestarted
            }
            take(.request(kept), &state)
        }
        try journal.begin(with: state)
        // What nobody knows any more ends by itself once nobody holds it.
        let known = Set(processes.keys.map(Self.name))
        for name in store.keys where !known.contains(name) { try? DescriptorStore.remove(name) }
        store = [:]
        left = KeptState()
        adopted = (processes.count, requests.count)
        for process in processes.values { process.beginReturn() }
        for (request, process) in requests { process.assign(kept: request) }
        if !absent.isEmpty { deadline = engine.realClock.schedule(after: Self.patience) { [weak self] in self?.giveUp() } }
    }

    private func take(_ record: JournalRecord, _ state: inout KeptState) { try? state.take(record) }

    private func adopt(_ kept: KeptProcess) -> ExtensionProcess? {
        guard let descriptors = store[Self.name(kept.number)] else { return nil }
        do {
            return try engine.supervisor.adopt(kept, try KeptDescriptors(descriptors, of: kept))
        } catch {
            engine.options.logger.warning("process \(kept.root) of \(kept.extensionIdentifier) is not gone on with: \(error)")
            return nil
        }
    }

    /// Those that did not come back are gone.
    private func giveUp() {
        deadline = nil
        for host in absent.values.sorted(by: { $0.name < $1.name }) { drop(host) }
    }

    private func drop(_ host: KeptHost) {
        absent[host.name] = nil
        journal.append(.hostGone(host.name))
        for request in engine.requests.values.sorted(by: { $0.number < $1.number }) where request.hostName == host.name {
            request.hostGone()
        }
    }

    // MARK: Hosts

    /// Whether a host of this name is waited for.
    func awaits(_ name: String) -> Bool { absent[name] != nil }

    /// In which state it was.
    func state(ofAbsent name: String) -> HostStateName? { absent[name]?.state }

    /// The host that has come back with its token, which is no stranger's.
    func returning(_ token: [UInt8], _ credentials: PeerCredentials) -> KeptHost? {
        absent.values.first { $0.token == token && $0.pid == Int(credentials.pid) && $0.user == Int(credentials.uid) }
    }

    /// It has said what is open for it.
    func returned(_ host: HostSession, _ message: StillOpen) {
        guard absent.removeValue(forKey: host.name) != nil else { return }
        if absent.isEmpty { deadline = nil }
        let open = Set(message.requests)
        for request in engine.requests.values.sorted(by: { $0.number < $1.number })
        where request.hostName == host.name && request.host == nil {
            request.hostIsBack(host, waits: open.contains(request.identifier))
        }
        for kept in journal.state.requests.values where kept.host == host.name && kept.end != nil && !open.contains(kept.request)
        {
            journal.append(.requestClosed(kept.request))
        }
    }

    /// How a request ended of which this host has not heard, or said so.
    func end(of request: RequestIdentifier, for host: HostSession) -> Cause? {
        guard let kept = journal.state.requests[request], kept.host == host.name else { return nil }
        return kept.end
    }

    // MARK: What is written down

    func connected(_ host: KeptHost) { journal.append(.host(host)) }

    func hostMoved(_ name: String, to state: HostStateName) {
        guard var host = journal.state.hosts[name] else { return }
        host.state = state
        journal.append(.host(host))
    }

    func disconnected(_ name: String) {
        if journal.state.hosts[name] != nil, absent[name] == nil { journal.append(.hostGone(name)) }
    }

    /// The extension is about to be given the request, or the host to be told of its end. Of hosts that cannot come back nothing is kept.
    func write(_ request: KeptRequest) {
        guard journal.state.hosts[request.host] != nil else { return }
        // Who acknowledges nothing must not fill the file.
        if request.end != nil, journal.state.requests.count > KeptState.most / 2 { return closed(request.request) }
        journal.append(.request(request))
    }

    /// Its host has the end of it.
    func closed(_ request: RequestIdentifier) {
        if journal.state.requests[request] != nil { journal.append(.requestClosed(request)) }
    }

    // MARK: Processes

    private static func name(_ number: Int) -> String { DaemonOptions.keptPrefix + "\(number)" }

    /// What is needed for a process to be kept; nil where it ends with this daemon.
    func mayKeep(_ bundle: ExtensionBundle) -> Bool {
        isWriting && !engine.options.isSystem && engine.launchMeans.treeKill == .namespace && !bundle.isApp
            && bundle.registration == nil
            && engine.limiter.limits(of: bundle).isEmpty
    }

    /// It runs, and is given to the store. Until that has it, it ends with the daemon.
    func launched(_ process: KeptProcess, _ descriptors: [Int32]) {
        journal.append(.process(process))
        KillPoint.pass()
        do throws(LoopError) {
            try DescriptorStore.keep(descriptors, as: Self.name(process.number))
        } catch {
            engine.options.logger.warning(
                "process \(process.root) of \(process.extensionIdentifier) ends with the daemon: \(error)")
        }
        KillPoint.pass()
    }

    func began(_ number: Int, pid: Int) {
        guard var process = journal.state.processes[number], process.pid != pid else { return }
        process.pid = pid
        journal.append(.process(process))
    }

    func isReady(_ number: Int) {
        guard var process = journal.state.processes[number], !process.isReady else { return }
        process.isReady = true
        journal.append(.process(process))
    }

    func exited(_ number: Int) {
        guard journal.state.processes[number] != nil else { return }
        journal.append(.processEnded(number))
        try? DescriptorStore.remove(Self.name(number))
    }

    /// Everything has ended in order. What was not gone on with ends with the last that holds it.
    func end() {
        for name in store.keys { try? DescriptorStore.remove(name) }
        journal.remove()
    }

    /// For `status`.
    var words: String {
        if !isWriting { return "nothing: the journal cannot be written" }
        let now = journal.state.processes.values.filter(\.isKept).count
        var text = "\(now) of \(engine.supervisor.processes.count) processes would outlive this daemon"
        if adopted.processes + adopted.requests > 0 {
            text += "; \(adopted.processes) processes and \(adopted.requests) requests have outlived another"
        }
        return text
    }
}
