// ExtensionProcess+Return: a process that outlived its daemon, and comes back to the next one.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import Glibc

extension ExtensionProcess {
    /// It was another daemon's, and has this long to come back through its door. It may have been suspended; who should be is suspended again.
    func beginReturn() {
        engine.log.append(.processAdopted, extensionIdentifier: bundle.identifier, pid: pid)
        signalTree(SIGCONT)
        returning = engine.realClock.schedule(after: Keeping.patience) { [weak self] in
            self?.kill(.daemonRestarted, by: "daemon", why: .daemonRestarted)
        }
        if hasBegun { start.come() }
        hello.come()
    }

    /// A connection of its own through its door, after another daemon's end.
    func welcomeBack(_ peer: Peer, _ hello: Hello, _ version: ProtocolVersion) -> Bool {
        guard returning != nil, session.peer == nil, !isEnding else { return false }
        door?.handOver()
        session.goOn(over: peer, hello, version, of: self)
        return true
    }

    /// It has said what is open there.
    func isBack(with message: StillOpen) throws(ProtocolError) {
        guard returning != nil else { throw .unexpected(kind: "stillOpen", state: "in a session that nobody else had") }
        returning = nil
        engine.log.append(.connectionResumed, extensionIdentifier: bundle.identifier, pid: pid)
        let known = Set(message.requests)
        let answers = Set(message.answers).subtracting(requests.keys)
        for request in known.subtracting(answers).subtracting(requests.keys) {
            // It ended, and the word of it was lost.
            peer?.send(Cancelled(request: request, cause: .daemonRestarted))
        }
        engine.driver.post(.returned(number, known: known, answers: answers, work: Set(message.work)))
        reconsiderHosts()
    }

    /// It was given to it by another daemon.
    func assign(kept request: Request) {
        enterStory(request.identifier)
        requests[request.identifier] = request
        engine.requests[request.identifier] = request
        engine.output.began(request.identifier, by: printer)
        request.belongs(to: self)
        engine.driver.post(
            .kept(request.identifier, number: request.number, hasInterface: request.hasInterface, by: number))
    }

    /// The host of a request of its has come back.
    func add(_ request: Request) {
        hosts.add(request)
        if charge == nil { charge(to: request.host) }
        reconsiderHosts()
    }

    /// Hosts of another daemon that it has served: they hear of its end, should they come back.
    func expect(_ names: Set<String>) { hosts.expect(names) }

    func isBack(_ host: HostSession) { hosts.isBack(host) }
}
