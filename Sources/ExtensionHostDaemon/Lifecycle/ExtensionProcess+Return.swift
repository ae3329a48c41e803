// ExtensionProcess+Return: the reconnection of a process that outlived its daemon to the next one.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import Glibc

extension ExtensionProcess {
    /// Gives an adopted process `AbsentHosts.patience` to reconnect through its `ReconnectSocket`, and kills it
    /// otherwise.
    ///
    /// The process may have been suspended, so it is resumed first. A process that should be suspended is suspended
    /// again.
    func beginReturn() {
        tell(.adopted)
        signalTree(SIGCONT)
        returning = context.realClock.schedule(after: AbsentHosts.patience) { [weak self] in
            self?.kill(.daemonRestarted, by: "daemon", why: .daemonRestarted)
        }
        if hasBegun { start.fire() }
        hello.fire()
    }

    /// Whether the process may open a new connection after the end of another daemon.
    var awaitsConnection: Bool { returning != nil && peer == nil && !isEnding }

    /// Takes the process's list of the requests and work that are still open in it, and tells the model.
    func isBack(with message: StillOpen) throws(ProtocolError) {
        guard returning != nil else { throw .unexpected(kind: "stillOpen", state: "in a session that nobody else had") }
        returning = nil
        tell(.connectionResumed)
        let known = Set(message.requests)
        let answers = Set(message.answers).subtracting(requests.keys)
        for request in known.subtracting(answers).subtracting(requests.keys) {
            // The request has ended, and the process has not heard of that.
            peer?.send(Cancelled(request: request, cause: .daemonRestarted))
        }
        context.driver.post(.returned(number, known: known, answers: answers, work: Set(message.work)))
        back.fire()
    }

    /// Assigns a request that another daemon gave to this process.
    func assign(adopted request: Request) {
        enterStory(request.identifier)
        requests[request.identifier] = request
        context.output.began(request.identifier, by: printer)
        request.belongs(to: self)
        context.driver.post(
            .requestAdopted(
                request.identifier, number: request.number, host: request.hostName, hasInterface: request.hasInterface,
                by: number
            ))
    }

    /// Adds the host of a request, which has reconnected.
    func add(_ request: Request) {
        hosts.add(request.hostName, request.host)
    }

    /// Adds hosts that the process served under another daemon. A host that reconnects hears of the end of the process.
    func expect(_ names: Set<String>) { hosts.expect(names) }

    func isBack(_ host: Host) { hosts.isBack(host) }
}
