// CallSide: a side of a request, or of a connection with a service, between which calls travel.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol

/// A side of a request, or of a connection with a service: a host, a process that the daemon launched, or a tool.
@HostActor
struct CallSide {
    private(set) weak var host: Host?
    private(set) weak var process: ExtensionProcess?
    private weak var tool: Peer?
    /// The side as the broker knows it.
    let party: QuestionBroker.Party

    init(_ host: Host) {
        self.host = host
        party = .host(host.name)
    }

    init(_ process: ExtensionProcess) {
        self.process = process
        party = .process(process.number)
    }

    init(tool: Peer) {
        self.tool = tool
        party = .tool(tool.label.connection)
    }

    /// The side's connection; nil after its end.
    var peer: Peer? { host?.peer ?? process?.peer ?? tool }

    /// Ends the connection of a side that broke the protocol.
    func violated(_ error: ProtocolError) {
        if let process { process.violated(error) } else { peer?.fail(error) }
    }
}
