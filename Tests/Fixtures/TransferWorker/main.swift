// TransferWorker: a life of the service with the real engine, and of its only client. A test kills it at any moment.
// Arguments: the folder, the address of the server, the first number of a file, and the count of files.

import ExtensionPointKit
import Foundation
import LinuxDescriptors
import TransferMessages
import TransferService

/// Returns the bytes of a file of the server.
func fileBytes(_ number: Int, version: Int) -> [UInt8] {
    let count = 20_000 + number * 7_919 % 60_000 + version * 501
    return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ version &* 97 &+ number) }
}

/// The client of the service, and the program around it.
final class Worker: TransferOutput {
    private let root: String
    private let address: String
    private let files: Range<Int>
    private let ledger: Int32
    private let client = TransferClient(
        number: 1, identifier: "org.example.app", app: "org.example.app", side: .app, groups: ["g"], mayUseNetwork: true
    )
    private var service: TransferService?
    private var unhandled: [TransferCompletion] = []
    private var finished: [Int] = []
    /// The numbers of files that an earlier life has dealt with, and of those whose tasks the service has acknowledged.
    private var done: Set<Int> = []
    private var added: Set<Int> = []
    private var labels: [Int: Int] = [:]

    init(_ arguments: [String]) throws {
        (root, address) = (arguments[1], arguments[2])
        files = Int(arguments[3])!..<Int(arguments[3])! + Int(arguments[4])!
        ledger = open(root + "/ledger", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        for line in String(decoding: try readFile(root + "/ledger", maximumSize: 1 << 24), as: UTF8.self).split(
            separator: "\n")
        {
            let words = line.split(separator: " ")
            if words[0] == "added" { added.insert(Int(words[1])!) } else { done.insert(Int(words[0])!) }
        }
    }

    func send(_ event: some PointMessage, to client: Int) {
        if let event = event as? TransferEventsFinished { finished.append(event.event) }
        if let event = event as? TransferCompletion { unhandled.append(event) }
    }
    func wake(app: String, session: String, completion: @escaping (TransferWakeResult) -> Void) {}
    func denyNetwork(to client: TransferClient, url: String) {}

    private func call<Message: PointMessage>(_ message: Message) throws -> Message.Reply {
        var reply: Result<EncodedValue, any Error>?
        service!.call(Message.name, try PointEncoder.encode(message), from: client) { reply = $0 }
        return try PointDecoder.decode(Message.Reply.self, from: try reply!.get())
    }

    func run() throws {
        let clock = SystemTransferClock()
        let engine = try CurlEngine(clock: clock)
        var (policy, faults) = (TransferPolicy(), TransferFaults())
        (policy.syncInterval, policy.retryDelay) = (16 << 10, 0.01)
        // The test counts these lines, and kills this process after one of them.
        faults.afterStep = { _ in
            var byte = UInt8(ascii: "\n")
            write(1, &byte, 1)
        }
        let group = root + "/group"
        let service = try TransferService(
            folder: root + "/transfers", container: { _ in group }, clock: clock, engine: engine, output: self,
            policy: policy, faults: faults)
        self.service = service
        var configuration = TransferConfiguration(identifier: "s", container: "g")
        configuration.requestTimeout = 1
        let tasks = try call(OpenTransferSession(configuration)).tasks
        for task in tasks { labels[task.number] = Int(task.label!)! }
        for number in files where !done.contains(number) && !labels.values.contains(number) {
            // The ledger of the author knows of a task that the service has not.
            guard !added.contains(number) else { exit(5) }
            let request = TransferRequest(url: "\(address)/\(number)")
            let added = try call(
                AddTransferTask(session: "s", kind: .download, request: request, label: "\(number)"))
            labels[added.task!] = number
            record("added \(number)")
        }
        for task in labels.keys { _ = try call(ResumeTransferTask(session: "s", task: task)) }
        let loop = TransferLoop(service, clock: clock)
        var others: [pollfd] = []
        while true {
            for completion in unhandled { try handle(completion) }
            unhandled = []
            for event in finished { _ = try call(AcknowledgeTransferEvent(session: "s", event: event)) }
            finished = []
            if done.isSuperset(of: files) { break }
            loop.turn(&others)
        }
        _ = try call(CloseTransferSession(session: "s"))
        guard service.isIdle, service.deadline == nil || engine.deadline != nil else { exit(3) }
    }

    private func record(_ text: String) {
        let line = Array("\(text)\n".utf8)
        guard write(ledger, line, line.count) == line.count else { exit(4) }
    }

    /// Writes the end of a transfer into the ledger, and confirms it then.
    private func handle(_ completion: TransferCompletion) throws {
        let number = labels[completion.task]!
        let bytes = try completion.file.map { try readFile(root + "/group/" + $0, maximumSize: 1 << 24) }
        let version = (0...1).first { fileBytes(number, version: $0) == bytes }
        let outcome =
            completion.fault.map { "\($0.code)" } ?? version.map { "v\($0)" }
            ?? "corrupt(\(completion.response?.status ?? 0),\(bytes?.count ?? -1))"
        record("\(number) \(completion.event) \(outcome)")
        done.insert(number)
        _ = try call(AcknowledgeTransferEvent(session: "s", event: completion.event))
    }
}

try Worker(CommandLine.arguments).run()
