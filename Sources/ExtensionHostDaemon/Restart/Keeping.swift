// Keeping: what this daemon leaves to the next one, and what it goes on with from the one before.

import EventLog
import EventLoop
import ExtensionHostModel
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
    /// Ends that they have not heard of.
    private var owed = OwedEnds()
    private var deadline: Deadline?
    /// Whether what was left could not be believed. Then what a host has open may have been begun, and is not begun again.
    private(set) var damage: String?
    /// Processes and requests that go on here.
    private(set) var adopted = (processes: 0, requests: 0)
    private var isWriting = true
    /// Until the journal is tried again: real time. The disk may have room by then.
    private var rewriting: Deadline?
    private var rewritingPause = Keeping.rewritingPauses.first
    private static let rewritingPauses = (first: Duration.seconds(1), longest: Duration.seconds(30))
    /// How many processes' descriptors the manager stores; nil where it does not say.
    private var room: Int?
    private var question: AnyObject?
    /// Whether the log says that the store is full.
    private var isFull = false

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
        journal.onFailure = { [weak self] error in self?.cannotWrite(path, error) }
        guard let manager = engine.options.serviceManager else { return }
        question = DescriptorStore.askForRoom(of: manager) { [weak self] count in self?.learn(descriptors: count) }
    }

    // MARK: What there is room for

    private func cannotWrite(_ path: String, _ error: SystemError) {
        if isWriting { engine.options.logger.error("nothing outlives this daemon any more: \(path): \(error)") }
        isWriting = false
        rewriting = engine.realClock.schedule(after: rewritingPause) { [weak self] in self?.writeAgain() }
        rewritingPause = min(rewritingPause * 2, Self.rewritingPauses.longest)
    }

    /// The whole state: what was launched and ended meanwhile is in it.
    private func writeAgain() {
        rewriting = nil
        guard !engine.isStopping, journal.begin(with: journal.state) else { return }
        isWriting = true
        rewritingPause = Self.rewritingPauses.first
        engine.options.logger.notice("what runs outlives this daemon again: the journal can be written")
    }

    private func learn(descriptors count: Int?) {
        question = nil
        room = count.map { $0 / KeptProcess.descriptors }
        guard let room else { return }
        if room == 0 { sayFull() }
        // Those that were stored before the answer: the last ones have found no place.
        let stored = journal.state.processes.values.filter(\.isKept).sorted { $0.number < $1.number }
        for var process in stored.dropFirst(room) {
            process.inodes = []
            journal.append(.process(process))
            try? DescriptorStore.remove(Self.name(process.number))
        }
    }

    private var hasRoom: Bool {
        guard let room else { return true }
        let isFree = storedCount < room
        if isFree { isFull = false } else if !isFull { sayFull() }
        return isFree
    }

    private func sayFull() {
        isFull = true
        engine.options.logger.warning(
            "the service manager's descriptor store is full: further processes end with this daemon. FileDescriptorStoreMax= in the unit takes \(KeptProcess.descriptors) for each process"
        )
    }

    private var storedCount: Int { journal.state.processes.values.count(where: \.isKept) }

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
    func goOn() {
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
            for name in left.served[kept.number] ?? [] { take(.served(kept.number, host: name), &state) }
            process.expect(left.served[kept.number] ?? [])
        }
        let lost = left.processes.values.filter { processes[$0.number] == nil }
        for kept in lost {
            engine.limiter.leave(kept.groups)
            let end = Exited(
                process: kept.number,
                exit: ExitRecord(status: nil, signal: nil, cause: .daemonRestarted, peakMemory: nil, expired: false),
                time: Int(clamping: engine.clock.now))
            guard let names = left.served[kept.number], !names.isEmpty else { continue }
            // For the daemon after this one, should its hosts not have heard of it by then: that it was, and is no more.
            var ended = kept
            ended.inodes = []
            take(.process(ended), &state)
            for name in names {
                owed.add(end, to: name)
                take(.served(kept.number, host: name), &state)
            }
        }
        var requests: [(Request, ExtensionProcess)] = []
        for var kept in left.requests.values.sorted(by: { $0.number < $1.number }) where absent[kept.host] != nil {
            // A process of other rights than the host's was never given a request of its.
            if kept.end == nil, let host = absent[kept.host], let process = kept.process.flatMap({ processes[$0] }),
                process.identity == host.identity
            {
                requests.append((Request(kept, of: host, bundle: process.bundle, engine: engine), process))
            } else {
                kept.end = kept.end ?? .daemonRestarted
            }
            take(.request(kept), &state)
        }
        journal.begin(with: state)
        // What nobody knows any more ends by itself once nobody holds it.
        let known = Set(processes.keys.map(Self.name))
        for name in store.keys where !known.contains(name) { try? DescriptorStore.remove(name) }
        store = [:]
        engine.limiter.sweep(allBut: processes.keys.flatMap { left.processes[$0]?.groups ?? [] })
        left = KeptState()
        adopted = (processes.count, requests.count)
        for process in processes.values { process.beginReturn() }
        for (request, process) in requests { process.assign(kept: request) }
        for process in processes.values { process.limits?.lookBack() }
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
        for number in owed.drop(host.name) { end(of: number) }
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

    /// The host that has come back with its token. Another process that knows the token is nobody who was here before.
    ///
    /// - Throws: the token is that of somebody with other rights: what runs for it is none of this one's.
    func returning(_ token: [UInt8], _ credentials: PeerCredentials) throws(ProtocolError) -> KeptHost? {
        guard let host = absent.values.first(where: { $0.token == token }) else { return nil }
        guard host.user == credentials.uid, host.identity.map({ $0 == credentials.identity() }) ?? true else {
            throw .badIdentity("the token of a host of another user, or with other groups")
        }
        return host.pid == Int(credentials.pid) ? host : nil
    }

    /// It has said what is open for it.
    func returned(_ host: HostSession, _ message: StillOpen) {
        guard absent.removeValue(forKey: host.name) != nil else { return }
        if absent.isEmpty { deadline = nil }
        let open = Set(message.requests)
        engine.supervisor.hostIsBack(host)
        for request in engine.requests.values.sorted(by: { $0.number < $1.number })
        where request.hostName == host.name && request.host == nil {
            request.hostIsBack(host, waits: open.contains(request.identifier))
        }
        for kept in journal.state.requests.values where kept.host == host.name && kept.end != nil && !open.contains(kept.request)
        {
            journal.append(.requestClosed(kept.request))
        }
        tellExits(to: host)
    }

    /// What a host that has begun this request with another daemon is told of its end; nil where there is nothing to tell.
    func ending(of request: RequestIdentifier, for host: HostSession) -> Finished? {
        guard let kept = journal.state.requests[request], kept.host == host.name, let cause = kept.end else { return nil }
        if var known = owed.finished[request] {
            known.hostState = host.state.current
            return known
        }
        // A process of whose end it will not be told any more would be waited for in vain.
        let process = kept.process.flatMap { journal.state.processes[$0] != nil || owed.has($0, for: host.name) ? $0 : nil }
        return .afterRestart(
            request, cause, process: process, to: host.state.current, created: engine.past(since: kept.began).instant)
    }

    /// It has ended while its host was away.
    func owe(_ finished: Finished) { owed.finished[finished.request] = finished }

    /// One that this host had requests with has ended while the host was away.
    func owe(_ exited: Exited, to name: String) { if absent[name] != nil { owed.add(exited, to: name) } }

    /// After the ends of the requests that the process had of this host.
    private func tellExits(to host: HostSession) {
        guard !owed.isEmpty else { return }
        let open = journal.state.requests.values.filter { $0.host == host.name }.compactMap(\.process)
        for exited in owed.take(of: host.name, allBut: Set(open)) {
            host.peer.send(exited)
            end(of: exited.process)
        }
    }

    /// Nobody is to hear of its end any more.
    private func end(of process: Int) {
        if !owed.has(process), journal.state.processes[process] != nil { journal.append(.processEnded(process)) }
    }

    // MARK: What is written down

    func connected(_ host: KeptHost) { journal.append(.host(host)) }

    func hostMoved(_ name: String, to state: HostStateName) {
        guard var host = journal.state.hosts[name] else { return }
        host.state = state
        journal.append(.host(host))
    }

    func disconnected(_ name: String) {
        guard journal.state.hosts[name] != nil, absent[name] == nil else { return }
        // Nobody is to hear any more what it was to hear.
        for (request, kept) in journal.state.requests where kept.host == name { owed.finished[request] = nil }
        journal.append(.hostGone(name))
        for number in owed.drop(name) { end(of: number) }
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
        owed.finished[request] = nil
        guard let kept = journal.state.requests[request] else { return }
        journal.append(.requestClosed(request))
        if let host = engine.hosts[kept.host] { tellExits(to: host) }
    }

    // MARK: Processes

    private static func name(_ number: Int) -> String { DaemonOptions.keptPrefix + "\(number)" }

    /// What is needed for a process to be kept; nil where it ends with this daemon.
    func mayKeep(_ bundle: ExtensionBundle) -> Bool {
        isWriting && engine.launchMeans.treeKill == .namespace && !bundle.isApp && bundle.registration == nil && hasRoom
    }

    /// It runs, and is given to the store, if it is to outlive the daemon. Until that has it, it ends with the daemon.
    func launched(_ process: KeptProcess, _ descriptors: [Int32]) {
        journal.append(.process(process))
        guard process.isKept else { return }
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

    /// It waits no more: it is given its first request.
    func taken(_ number: Int) {
        guard var process = journal.state.processes[number], process.isPrewarmed else { return }
        process.isPrewarmed = false
        journal.append(.process(process))
    }

    /// It has reached this limit, and that was said.
    func told(_ number: Int, of limit: ResourceLimits.Name) {
        guard var process = journal.state.processes[number], !process.reached.contains(limit) else { return }
        process.reached.append(limit)
        journal.append(.process(process))
    }

    /// It is given a request of this host's.
    func served(_ number: Int, _ host: String) {
        let state = journal.state
        guard state.processes[number] != nil, state.hosts[host] != nil, state.served[number]?.contains(host) != true else {
            return
        }
        journal.append(.served(number, host: host))
    }

    func exited(_ number: Int) {
        guard journal.state.processes[number] != nil else { return }
        end(of: number)
        // Where somebody has to hear of it yet, that is all that is left of it.
        if var process = journal.state.processes[number], process.isKept {
            process.inodes = []
            journal.append(.process(process))
        }
        try? DescriptorStore.remove(Self.name(number))
    }

    /// Everything has ended in order. What was not gone on with ends with the last that holds it.
    func end() {
        rewriting = nil
        for name in store.keys { try? DescriptorStore.remove(name) }
        journal.remove()
    }

    /// For `status`.
    var words: String {
        if !isWriting { return "nothing: the journal cannot be written" }
        if room == 0 { return "nothing: the service has no descriptor store (FileDescriptorStoreMax=)" }
        var text = "\(storedCount) of \(engine.supervisor.processes.count) processes would outlive this daemon"
        if let room, storedCount >= room { text += ", the most that its descriptor store has room for" }
        if adopted.processes + adopted.requests > 0 {
            text += "; \(adopted.processes) processes and \(adopted.requests) requests have outlived another"
        }
        return text
    }
}

extension Keeping: EffectObserver {
    func willPerform(_ effect: LifecycleModel.Effect) {
        switch effect {
        case .request(let identifier, .deliver):
            guard let request = engine.requests[identifier], request.process?.peer != nil else { return }
            write(request.kept())
        // The extension keeps its own answer until the host has it.
        case .request(let identifier, .finish(let cause)) where cause != .completed && cause != .cancelledByExtension:
            if let request = engine.requests[identifier] { write(request.kept(cause)) }
        case .request(let identifier, .acknowledgeExtension): closed(identifier)
        default: break
        }
    }
}
