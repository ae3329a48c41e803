// Request+Return: a request that outlived its daemon, until its host and its extension have reconnected.

import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionProtocol

extension Request {
    /// The questions of a host, acts and calls, that wait for an extension.
    private static let questionsAhead = 80
    private static let itemsPatience = Duration.seconds(30)

    /// Whether its host may still reconnect after a restart of the daemon.
    var isAwaitingHost: Bool { isAdopted && host == nil && context.absentHosts.contains(hostName) }

    /// Calls `body` when the host has reconnected, or its time to do so is over.
    func onceHostIsBack(_ body: @escaping @HostActor () -> Void) { waitingForHost.append(body) }

    /// The number of questions that wait for the host.
    var questionsForHost: Int { waitingForHost.count }

    /// Connects the request with its host, which has reconnected.
    ///
    /// - Parameter waits: whether the host has no outcome of the request yet. A host that has one gets it again and
    ///   acknowledges it all the same.
    func hostIsBack(_ host: Host, waits: Bool) {
        self.host = host
        host.requests.insert(identifier)
        process?.add(self)
        let bodies = waitingForHost
        waitingForHost = []
        for body in bodies { body() }
        post(.hostReturned(identifier, waits: waits))
    }

    /// Whether its extension may still reconnect after a restart of the daemon.
    var isAwaitingExtension: Bool { context.driver.isReturning(identifier) }

    /// Calls `body` when the extension has reconnected, or its time to do so is over.
    ///
    /// - Returns: false if nothing waits for the extension, or too many calls wait already. Then `body` is not called.
    func onceExtensionIsBack(_ body: @escaping @HostActor () -> Void) -> Bool {
        guard isAwaitingExtension, waitingForExtension.count < Self.questionsAhead else { return false }
        waitingForExtension.append(body)
        return true
    }

    func extensionIsBack() {
        let bodies = waitingForExtension
        waitingForExtension = []
        for body in bodies { body() }
    }

    /// Takes the items from a begin that the host has repeated to this daemon.
    func hostHasSaidAgain(_ packet: Packet) {
        guard isAwaitingExtension else { return }
        contents = (packet.payload, packet.descriptors)
        post(.begunAgain(identifier, Self.usage(of: packet)))
    }

    /// Waits for the host to send the items again, in real time, as everything after a restart.
    func awaitItems() {
        holding = context.realClock.schedule(after: Self.itemsPatience) { [weak self] in
            guard let self else { return }
            post(.requestTimer(identifier, .items))
        }
    }
}
