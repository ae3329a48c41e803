// HandedState: the state that a journal's records describe: processes, hosts and requests; pure, table-tested.

import ExtensionProtocol
import LinuxSystem

/// The state that a daemon leaves behind, as its journal describes it.
struct HandedState: Sendable, Hashable {
    private(set) var processes: [Int: HandedProcess] = [:]
    private(set) var hosts: [String: HandedHost] = [:]
    private(set) var requests: [RequestIdentifier: HandedRequest] = [:]
    /// The hosts that must hear of a process's end, by the number of the process.
    private(set) var served: [Int: Set<String>] = [:]
    /// The highest numbers that were assigned: a successor continues from there.
    private(set) var lastProcess = 0
    private(set) var lastRequest = 0

    /// The valid times, in microseconds since 1970.
    private static let times = 0..<Int.max / 2
    /// The maximum number of processes, hosts or requests; no daemon has more.
    static let most = 65_536

    var isEmpty: Bool { processes.isEmpty && hosts.isEmpty && requests.isEmpty }

    /// Applies one record. A record that belongs to an item that is gone already changes nothing.
    mutating func take(_ record: JournalRecord) throws(JournalProblem) {
        switch record {
        case .numbers(let process, let request):
            guard process >= 0, request >= 0, process < .max / 2, request < .max / 2 else {
                throw JournalProblem("invalid numbers")
            }
            lastProcess = max(lastProcess, process)
            lastRequest = max(lastRequest, request)
        case .process(let process):
            guard (1..<Int.max / 2).contains(process.number), process.root > 1, process.pid ?? 2 > 1,
                process.inodes.isEmpty || process.isStored, process.identity?.uid != 0,
                Self.times.contains(process.started), process.groups.allSatisfy(\.canBe)
            else {
                throw JournalProblem("an invalid process")
            }
            processes[process.number] = process
            lastProcess = max(lastProcess, process.number)
        case .processEnded(let number): (processes[number], served[number]) = (nil, nil)
        case .served(let number, let host):
            if processes[number] != nil, hosts[host] != nil { served[number, default: []].insert(host) }
        case .host(let host):
            guard host.token.count == 16, !host.name.isEmpty, host.pid > 0 else {
                throw JournalProblem("an invalid host")
            }
            hosts[host.name] = host
        case .hostGone(let name):
            hosts[name] = nil
            requests = requests.filter { $0.value.host != name }
            served = served.mapValues { $0.subtracting([name]) }.filter { !$0.value.isEmpty }
        case .request(let request):
            guard (1..<Int.max / 2).contains(request.number), Self.times.contains(request.began),
                request.timeout.map({ $0 > 0 && $0 <= 1e9 }) ?? true
            else { throw JournalProblem("an invalid request") }
            requests[request.request] = request
            lastRequest = max(lastRequest, request.number)
        case .requestClosed(let request): requests[request] = nil
        }
        guard processes.count <= Self.most, hosts.count <= Self.most, requests.count <= Self.most else {
            throw JournalProblem("more than \(Self.most) of a kind")
        }
    }

    /// The shortest list of records that describes this state.
    var records: [JournalRecord] {
        [.numbers(process: lastProcess, request: lastRequest)]
            + hosts.values.sorted { $0.name < $1.name }.map(JournalRecord.host)
            + processes.values.sorted { $0.number < $1.number }.map(JournalRecord.process)
            + served.sorted { $0.key < $1.key }.flatMap { number, names in
                names.sorted().map { .served(number, host: $0) }
            }
            + requests.values.sorted { ($0.number, $0.request.description) < ($1.number, $1.request.description) }.map(
                JournalRecord.request)
    }
}
