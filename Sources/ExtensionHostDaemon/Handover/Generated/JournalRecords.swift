// JournalRecords: one entry of the journal.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

import ExtensionProtocol

/// A change that the daemon records before it acts on it.
enum JournalRecord: Sendable, Hashable, WireStructure {
    /// The highest numbers of processes and requests so far.
    case numbers(process: Int, request: Int)
    /// A process is new, or has changed.
    case process(HandedProcess)
    case processEnded(Int)
    /// The process has served this host, which receives its `exited`.
    case served(Int, host: String)
    case host(HandedHost)
    case hostGone(String)
    case request(HandedRequest)
    /// The host of the request has its outcome.
    case requestClosed(RequestIdentifier)

    /// The names of the cases in a dictionary.
    static let names = ["numbers", "process", "processEnded", "served", "host", "hostGone", "request", "requestClosed"]

    init(_ fields: Fields) throws(ProtocolError) {
        switch try fields.value(.kind, as: String.self) {
        case "numbers": self = .numbers(process: try fields.value(.process), request: try fields.value(.number))
        case "process": self = .process(try HandedProcess(fields))
        case "processEnded": self = .processEnded(try fields.value(.process))
        case "served": self = .served(try fields.value(.process), host: try fields.value(.host))
        case "host": self = .host(try HandedHost(fields))
        case "hostGone": self = .hostGone(try fields.value(.host))
        case "request": self = .request(try HandedRequest(fields))
        case "requestClosed": self = .requestClosed(try fields.value(.request))
        default: throw .wrongType(key: "kind", kind: "record")
        }
    }

    func encode(into fields: inout FieldWriter) {
        switch self {
        case .numbers(let process, let request):
            fields.set(.kind, "numbers")
            fields.set(.process, process)
            fields.set(.number, request)
        case .process(let process):
            fields.set(.kind, "process")
            process.encode(into: &fields)
        case .processEnded(let process):
            fields.set(.kind, "processEnded")
            fields.set(.process, process)
        case .served(let process, let host):
            fields.set(.kind, "served")
            fields.set(.process, process)
            fields.set(.host, host)
        case .host(let host):
            fields.set(.kind, "host")
            host.encode(into: &fields)
        case .hostGone(let host):
            fields.set(.kind, "hostGone")
            fields.set(.host, host)
        case .request(let request):
            fields.set(.kind, "request")
            request.encode(into: &fields)
        case .requestClosed(let request):
            fields.set(.kind, "requestClosed")
            fields.set(.request, request)
        }
    }
}
