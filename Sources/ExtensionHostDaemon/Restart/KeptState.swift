// KeptState: what the records of a journal come to: who runs, who waits, what is open; pure, table-tested.

import ExtensionProtocol

/// The state that a daemon leaves behind, as its journal tells it.
struct KeptState: Sendable, Hashable {
    private(set) var processes: [Int: KeptProcess] = [:]
    private(set) var hosts: [String: KeptHost] = [:]
    private(set) var requests: [RequestIdentifier: KeptRequest] = [:]
    /// The highest numbers that were given: a successor goes on from there.
    private(set) var lastProcess = 0
    private(set) var lastRequest = 0

    /// No daemon has more of anything.
    static let most = 65_536

    var isEmpty: Bool { processes.isEmpty && hosts.isEmpty && requests.isEmpty }

    /// Takes one record. What belongs to something that is gone already changes nothing.
    mutating func take(_ record: JournalRecord) throws(JournalProblem) {
        switch record {
        case .numbers(let process, let request):
            guard process >= 0, request >= 0, process < .max / 2, request < .max / 2 else {
                throw JournalProblem("numbers that cannot be")
            }
            lastProcess = max(lastProcess, process)
            lastRequest = max(lastRequest, request)
        case .process(let process):
            guard (1..<Int.max / 2).contains(process.number), process.root > 1, process.pid ?? 2 > 1,
                process.inodes.isEmpty || process.isKept
            else {
                throw JournalProblem("a process that cannot be")
            }
            processes[process.number] = process
            lastProcess = max(lastProcess, process.number)
        case .processEnded(let number): processes[number] = nil
        case .host(let host):
            guard host.token.count == 16, !host.name.isEmpty, host.pid > 0 else { throw JournalProblem("a host that cannot be") }
            hosts[host.name] = host
        case .hostGone(let name):
            hosts[name] = nil
            requests = requests.filter { $0.value.host != name }
        case .request(let request):
            guard (1..<Int.max / 2).contains(request.number) else { throw JournalProblem("a request that cannot be") }
            requests[request.request] = request
            lastRequest = max(lastRequest, request.number)
        case .requestClosed(let request): requests[request] = nil
        }
        guard processes.count <= Self.most, hosts.count <= Self.most, requests.count <= Self.most else {
            throw JournalProblem("more than \(Self.most) of a kind")
        }
    }

    /// The fewest records that come to this state.
    var records: [JournalRecord] {
        [.numbers(process: lastProcess, request: lastRequest)]
            + hosts.values.sorted { $0.name < $1.name }.map(JournalRecord.host)
            + processes.values.sorted { $0.number < $1.number }.map(JournalRecord.process)
            + requests.values.sorted { $0.number < $1.number }.map(JournalRecord.request)
    }
}
