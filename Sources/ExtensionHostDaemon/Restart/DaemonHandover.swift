// DaemonHandover: the state that this daemon leaves to the next one, and the state that it adopts from the last one.

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import Logging

/// The handover of extensions and requests that outlive the daemon: its journal, its part of the manager's descriptor
/// store, and the hosts that it awaits.
@HostActor
final class DaemonHandover {
    private let context: DaemonContext
    private let inventory: Inventory
    private let journal: HandoverJournal
    private var absent: AbsentHosts { context.absentHosts }
    /// The state that the last daemon left; empty once it has been taken over.
    private var left: HandedState
    private var store: [String: [SharedDescriptor]]
    private var deadline: Deadline?
    /// The reason why that state cannot be trusted; nil if it can.
    ///
    /// The open requests of a host may then have been begun, and are not begun again.
    private(set) var damage: String?
    /// The numbers of processes and requests that this daemon adopted.
    private(set) var adopted = (processes: 0, requests: 0)
    private var isWriting = true
    /// The timer until the next attempt to write the journal: real time. The disk may have room by then.
    private var rewriting: Deadline?
    private var rewritingPause = DaemonHandover.rewritingPauses.first
    private static let rewritingPauses = (first: Duration.seconds(1), longest: Duration.seconds(30))
    /// The number of processes whose descriptors the manager stores; nil where it does not say.
    private var room: Int?
    private var question: AnyObject?
    /// Whether the log says that the store is full.
    private var isFull = false

    /// - Parameters:
    ///   - path: the path of the journal.
    ///   - store: the descriptors that the service manager has passed, by name.
    init(journal path: String, store: StoredDescriptors, _ context: DaemonContext, _ inventory: Inventory) {
        self.context = context
        self.inventory = inventory
        journal = HandoverJournal(path: path)
        self.store = store.take()
        do {
            left = try journal.readBack()
        } catch {
            left = HandedState()
            damage = "\(error)"
            context.logger.error("the state of the last daemon is invalid, so its processes end: \(path): \(error)")
        }
        journal.onFailure = { [weak self] error in self?.cannotWrite(path, error) }
        guard let manager = context.options.serviceManager else { return }
        question = DescriptorStore.askForRoom(of: manager) { [weak self] count in self?.learn(descriptors: count) }
    }

    // MARK: What there is room for

    private func cannotWrite(_ path: String, _ error: SystemError) {
        if isWriting { context.logger.error("no process outlives this daemon any more: \(path): \(error)") }
        isWriting = false
        rewriting = context.realClock.schedule(after: rewritingPause) { [weak self] in self?.writeAgain() }
        rewritingPause = min(rewritingPause * 2, Self.rewritingPauses.longest)
    }

    /// Writes the whole state, which includes the launches and ends in the meantime.
    private func writeAgain() {
        rewriting = nil
        guard !context.isStopping, journal.begin(with: journal.state) else { return }
        isWriting = true
        rewritingPause = Self.rewritingPauses.first
        context.logger.notice("processes outlive this daemon again: the journal is writable")
    }

    private func learn(descriptors count: Int?) {
        question = nil
        room = count.map { $0 / HandedProcess.descriptors }
        guard let room else { return }
        if room == 0 { sayFull() }
        // These processes were stored before the answer: the last ones have found no place.
        let stored = journal.state.processes.values.filter(\.isStored).sorted { $0.number < $1.number }
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
        context.logger.warning(
            "the service manager's descriptor store is full: further processes end with this daemon. FileDescriptorStoreMax= in the unit needs \(HandedProcess.descriptors) for each process"
        )
    }

    private var storedCount: Int { journal.state.processes.values.count(where: \.isStored) }

    /// Whether there is any state of another daemon.
    var resumesAfterRestart: Bool { !left.isEmpty || damage != nil }

    /// The summary of that state, for the log.
    var inheritance: String {
        if let damage { return "the state of the last daemon is not adopted: \(damage)" }
        return
            "\(left.processes.count) processes, \(left.requests.count) requests and \(left.hosts.count) hosts of another daemon"
    }

    // MARK: Going on

    /// Returns what the last daemon has left, once; `Adoption` takes it over.
    func takeInheritance() -> (state: HandedState, store: [String: [SharedDescriptor]]) {
        defer { left = HandedState() }
        return (left, store)
    }

    /// Begins the journal of this daemon. Processes that are unknown end by themselves once their descriptors are
    /// closed.
    func begin(with state: HandedState, _ adopted: (processes: Int, requests: Int), known: Set<Int>) {
        journal.begin(with: state)
        let names = Set(known.map(Self.name))
        for name in store.keys where !names.contains(name) { try? DescriptorStore.remove(name) }
        store = [:]
        self.adopted = adopted
    }

    /// Starts the time limit for the hosts to reconnect.
    func beginWaiting() {
        if absent.isEmpty { return }
        deadline = context.realClock.schedule(after: AbsentHosts.patience) { [weak self] in self?.giveUp() }
    }

    /// Drops the hosts that did not reconnect.
    private func giveUp() {
        deadline = nil
        for host in absent.hosts.values.sorted(by: { $0.name < $1.name }) { drop(host) }
    }

    private func drop(_ host: HandedHost) {
        _ = absent.remove(host.name)
        context.driver.post(.hostDisconnected(host.name))
        for number in absent.undelivered.drop(host.name) { end(of: number) }
        journal.append(.hostGone(host.name))
        for request in inventory.requestsInOrder where request.hostName == host.name {
            request.hostGone()
        }
    }

    // MARK: Hosts

    /// Returns the host that has reconnected with its token. Another process that knows the token is a new host: nil.
    ///
    /// - Throws: if the token belongs to a host with other rights, whose requests are not this host's.
    func returning(_ token: [UInt8], _ credentials: PeerCredentials) throws(ProtocolError) -> HandedHost? {
        guard let host = absent.hosts.values.first(where: { $0.token == token }) else { return nil }
        guard host.user == credentials.uid, host.identity.map({ $0 == credentials.identity() }) ?? true else {
            throw .badIdentity("the token of a host of another user, or with other groups")
        }
        return host.pid == Int(credentials.pid) ? host : nil
    }

    /// Handles a host's report of its open requests after it has reconnected.
    func returned(_ host: Host, _ message: StillOpen) {
        guard absent.remove(host.name) else { return }
        if absent.isEmpty { deadline = nil }
        let open = Set(message.requests)
        for process in inventory.processes.values { process.isBack(host) }
        for request in inventory.requestsInOrder
        where request.hostName == host.name && request.host == nil {
            request.hostIsBack(host, waits: open.contains(request.identifier))
        }
        for handed in journal.state.requests.values
        where handed.host == host.name && handed.end != nil && !open.contains(handed.request) {
            journal.append(.requestClosed(handed.request))
        }
        tellExits(to: host)
    }

    /// Returns the end of a request that the host began with another daemon; nil if there is nothing to report.
    func ending(of request: RequestIdentifier, for host: Host) -> Finished? {
        guard let handed = journal.state.requests[request], handed.host == host.name, let cause = handed.end else {
            return nil
        }
        if var known = absent.undelivered.finished[request] {
            known.hostState = host.state
            return known
        }
        // The host would wait in vain for a process whose end it will not receive any more.
        let process = handed.process.flatMap {
            journal.state.processes[$0] != nil || absent.undelivered.has($0, for: host.name) ? $0 : nil
        }
        return .afterRestart(
            request, cause, process: process, to: host.state, created: context.past(since: handed.began).instant)
    }

    /// Sends the exits of processes to a host, after the ends of the requests that they had of this host.
    private func tellExits(to host: Host) {
        guard !absent.undelivered.isEmpty else { return }
        let open = journal.state.requests.values.filter { $0.host == host.name }.compactMap(\.process)
        for exited in absent.undelivered.take(of: host.name, allBut: Set(open)) {
            host.peer.send(exited)
            end(of: exited.process)
        }
    }

    /// Records the end of a process if no host must hear of it any more.
    private func end(of process: Int) {
        if !absent.undelivered.has(process), journal.state.processes[process] != nil {
            journal.append(.processEnded(process))
        }
    }

    // MARK: What is written down

    func connected(_ host: HandedHost) { journal.append(.host(host)) }

    /// Records a host's state, once for all edges of a move: the model is at its end already.
    private func hostMoves(_ name: String) {
        guard var host = journal.state.hosts[name], let state = context.driver.state(ofHost: name),
            host.state != state
        else {
            return
        }
        host.state = state
        journal.append(.host(host))
    }

    private func disconnected(_ name: String) {
        guard journal.state.hosts[name] != nil, !absent.contains(name) else { return }
        // The ends for the host have no receiver any more.
        for (request, handed) in journal.state.requests where handed.host == name {
            absent.undelivered.finished[request] = nil
        }
        journal.append(.hostGone(name))
        for number in absent.undelivered.drop(name) { end(of: number) }
    }

    /// Records a request before the extension gets it, or before the host gets its end.
    ///
    /// For a host that cannot reconnect nothing is recorded.
    private func write(_ request: HandedRequest) {
        guard journal.state.hosts[request.host] != nil else { return }
        // A host that acknowledges nothing must not fill the file.
        if request.end != nil, journal.state.requests.count > HandedState.most / 2 { return closed(request.request) }
        journal.append(.request(request))
    }

    /// Closes a request that the host began with another daemon, and whose end the host has received.
    func acknowledged(_ request: RequestIdentifier, by host: Host) {
        if ending(of: request, for: host) != nil { closed(request) }
    }

    /// Records that the host has the end of a request.
    private func closed(_ request: RequestIdentifier) {
        absent.undelivered.finished[request] = nil
        guard let handed = journal.state.requests[request] else { return }
        journal.append(.requestClosed(request))
        if let host = inventory.hosts[handed.host] { tellExits(to: host) }
    }

    // MARK: Processes

    static func name(_ number: Int) -> String { DaemonOptions.storedPrefix + "\(number)" }

    /// Whether a process of this bundle may outlive the daemon.
    func maySurvive(_ bundle: ExtensionBundle, heldBy means: TreeKill) -> Bool {
        isWriting && means == .namespace && !bundle.isApp && bundle.registration == nil && hasRoom
    }

    /// Records a running process, and gives its descriptors to the store if it is to outlive the daemon.
    ///
    /// Until the store has them, the process ends with the daemon.
    func register(_ process: HandedProcess, _ descriptors: [Int32]) {
        journal.append(.process(process))
        guard process.isStored else { return }
        KillPoint.pass()
        do throws(LoopError) {
            try DescriptorStore.keep(descriptors, as: Self.name(process.number))
        } catch {
            context.logger.warning(
                "process \(process.root) of \(process.extensionIdentifier) ends with the daemon: \(error)")
        }
        KillPoint.pass()
    }

    private func began(_ number: Int, pid: Int) {
        guard var process = journal.state.processes[number], process.pid != pid else { return }
        process.pid = pid
        journal.append(.process(process))
    }

    private func isReady(_ number: Int) {
        guard var process = journal.state.processes[number], !process.isReady else { return }
        process.isReady = true
        journal.append(.process(process))
    }

    /// Records that a process that was launched ahead gets its first request.
    private func taken(_ number: Int) {
        guard var process = journal.state.processes[number], process.isPrewarmed else { return }
        process.isPrewarmed = false
        journal.append(.process(process))
    }

    /// Records that a process has reached this limit, and that the log says so.
    private func told(_ number: Int, of limit: ResourceLimits.Name) {
        guard var process = journal.state.processes[number], !process.reached.contains(limit) else { return }
        process.reached.append(limit)
        journal.append(.process(process))
    }

    /// Records that a process gets a request of this host.
    private func served(_ number: Int, _ host: String) {
        let state = journal.state
        guard state.processes[number] != nil, state.hosts[host] != nil, state.served[number]?.contains(host) != true
        else {
            return
        }
        journal.append(.served(number, host: host))
    }

    private func exited(_ number: Int) {
        guard journal.state.processes[number] != nil else { return }
        end(of: number)
        // If a host must still hear of the end, that is all that is left of the process.
        if var process = journal.state.processes[number], process.isStored {
            process.inodes = []
            journal.append(.process(process))
        }
        try? DescriptorStore.remove(Self.name(number))
    }

    /// Removes the journal, because everything has ended in order.
    ///
    /// A process that was not adopted ends when nobody holds its descriptors any more.
    func end() {
        rewriting = nil
        for name in store.keys { try? DescriptorStore.remove(name) }
        journal.remove()
    }

    /// The summary for `status`.
    var summary: String {
        if !isWriting { return "none: the journal cannot be written" }
        if room == 0 { return "none: the service has no descriptor store (FileDescriptorStoreMax=)" }
        var text = "\(storedCount) of \(inventory.processes.count) processes would outlive this daemon"
        if let room, storedCount >= room { text += ", the most that fit into its descriptor store" }
        if adopted.processes + adopted.requests > 0 {
            text += "; \(adopted.processes) processes and \(adopted.requests) requests have outlived another"
        }
        return text
    }
}

extension DaemonHandover: EffectObserver, EventObserver {
    func willPerform(_ effect: LifecycleModel.Effect) {
        switch effect {
        case .host(let name, _): hostMoves(name)
        case .request(let identifier, .deliver):
            guard let request = inventory.requests[identifier], request.process?.peer != nil else { return }
            write(request.handed())
        // The extension stores its own answer until the host has it.
        case .request(let identifier, .finish(let cause)) where cause != .completed && cause != .cancelledByExtension:
            if let request = inventory.requests[identifier] { write(request.handed(cause)) }
        case .request(let identifier, .acknowledgeExtension): closed(identifier)
        default: break
        }
    }

    func happened(_ event: LifecycleEvent) {
        switch event {
        case .hostDisconnected(let host, _, _): disconnected(host)
        case .request(let identifier, .lastCallAnswered):
            if let request = inventory.requests[identifier] { write(request.handed()) }
        case .process(let process, .begun(let pid, _)): began(process, pid: pid)
        case .process(let process, .ready): isReady(process)
        case .process(let process, .taken): taken(process)
        case .process(let process, .serves(let host, _)): served(process, host)
        // The exit reports a limit that the process does not outlive.
        case .process(let process, .limited(let limit, nil, _, _)): told(process, of: limit)
        case .process(let process, .gone): exited(process)
        default: break
        }
    }
}
