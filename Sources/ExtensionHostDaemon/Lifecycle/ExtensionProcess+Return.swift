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
        tell(.adopted)
        signalTree(SIGCONT)
        returning = context.realClock.schedule(after: AbsentHosts.patience) { [weak self] in
            self?.kill(.daemonRestarted, by: "daemon", why: .daemonRestarted)
        }
        if hasBegun { start.fire() }
        hello.fire()
    }

    /// Whether the process may take a connection of its own, after another daemon's end.
    var awaitsConnection: Bool { returning != nil && peer == nil && !isEnding }

    /// It has said what is open there.
    func isBack(with message: StillOpen) throws(ProtocolError) {
        guard returning != nil else { throw .unexpected(kind: "stillOpen", state: "in a session that nobody else had") }
        returning = nil
        tell(.connectionResumed)
        let known = Set(message.requests)
        let answers = Set(message.answers).subtracting(requests.keys)
        for request in known.subtracting(answers).subtracting(requests.keys) {
            // It ended, and the word of it was lost.
            peer?.send(Cancelled(request: request, cause: .daemonRestarted))
        }
        context.driver.post(.returned(number, known: known, answers: answers, work: Set(message.work)))
    }

    /// It was given to it by another daemon.
    func assign(adopted request: Request) {
        enterStory(request.identifier)
        requests[request.identifier] = request
        context.output.began(request.identifier, by: printer)
        request.belongs(to: self)
        context.driver.post(
            .requestAdopted(
                request.identifier, number: request.number, host: request.hostName, hasInterface: request.hasInterface, by: number
            ))
    }

    /// The host of a request of its has come back.
    func add(_ request: Request) {
        hosts.add(request.hostName, request.host)
    }

    /// Hosts of another daemon that it has served: they hear of its end, should they come back.
    func expect(_ names: Set<String>) { hosts.expect(names) }

    func isBack(_ host: Host) { hosts.isBack(host) }
}
