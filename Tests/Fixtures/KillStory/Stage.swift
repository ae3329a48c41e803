// Stage: the story, and the load, that hosts of a daemon play which is killed meanwhile.

import ExtensionHost
import Foundation
import Glibc
import Locks

struct Stage: Sendable {
    private static let puppet = "org.exthost.tests.puppet"
    /// How many requests each host has open under load.
    private static let width = 4

    let address: DaemonAddress
    let notes: String

    /// A request that loads and completes, one that its host cancels, one with completion work, and two moves of the
    /// host.
    func story(of name: String) async throws -> Tally {
        var tally = Tally()
        let host = try await connect(name)
        let first = try begin(.noteAndLoad, by: host, &tally)
        tally.take(first, await first.outcome, of: .noteAndLoad)
        try await host.setState(.background)
        try await host.setState(.active)
        let second = try begin(.hang, by: host, &tally)
        _ = try? await second.delivered()
        do {
            try await second.cancel()
        } catch let error as ExtensionHostError {
            // It has ended already.
            if error.code != .noSuchRequest { tally.wrong.append("\(second.identifier): \(error)") }
        }
        tally.take(second, await second.outcome, of: .hang)
        let third = try begin(.handler, by: host, &tally)
        tally.take(third, await third.outcome, of: .handler)
        tally.unended = try await unended([first, second, third], within: .seconds(30))
        host.disconnect()
        return tally
    }

    /// A request that completes, one that the extension cancels, one at which its process ends, and one that another
    /// process completes.
    func end(of name: String) async throws -> Tally {
        var tally = Tally()
        let host = try await connect(name)
        var requests: [ExtensionRequest] = []
        for act in [Act.noteAndLoad, .refuse, .exit, .noteAndLoad] {
            let request = try begin(act, by: host, &tally)
            tally.take(request, await request.outcome, of: act)
            requests.append(request)
        }
        tally.unended = try await unended(requests, within: .seconds(30))
        // A status that is told is the right one, with its cause, whichever daemon serves; of a process that ended with
        // its daemon none is.
        if let record = requests[2].currentExit?.record, record.status != nil,
            record.status != 3 || record.cause != .exitedEarly
        {
            tally.wrong.append("\(requests[2].identifier): \(record)")
        }
        host.disconnect()
        return tally
    }

    /// A request that is open when the daemon is stopped, for which it is time once this has said so.
    func stop(of name: String) async throws -> Tally {
        var tally = Tally()
        let host = try await connect(name)
        let request = try begin(.stay, by: host, &tally)
        _ = try? await request.delivered()
        print("open")
        fflush(nil)
        tally.take(request, await request.outcome, of: .stay)
        tally.unended = try await unended([request], within: .seconds(30))
        host.disconnect()
        return tally
    }

    /// Some requests at a time of each host, one after the other, until standard input ends, or says something.
    func load(of names: [String]) async throws -> Tally {
        let isOver = InputEnd()
        let played = try await withThrowingTaskGroup(of: (Tally, [ExtensionRequest], HostApplication).self) { group in
            for name in names { group.addTask { try await load(of: name, until: isOver) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        var all = Tally()
        for (tally, _, _) in played { all.add(tally) }
        all.unended = try await unended(played.flatMap { $0.1 }, within: .seconds(60))
        for (_, _, host) in played { host.disconnect() }
        return all
    }

    private func load(
        of name: String, until isOver: InputEnd
    ) async throws -> (Tally, [ExtensionRequest], HostApplication) {
        var tally = Tally()
        var begun: [ExtensionRequest] = []
        let host = try await connect(name)
        try await withThrowingTaskGroup(of: (ExtensionRequest, RequestOutcome).self) { requests in
            var open = 0
            while !isOver.hasCome {
                let request = try begin(.noteAndLoad, by: host, &tally)
                requests.addTask { (request, await request.outcome) }
                begun.append(request)
                open += 1
                if open >= Self.width, let (request, outcome) = try await requests.next() {
                    tally.take(request, outcome, of: .noteAndLoad)
                    open -= 1
                }
            }
            for try await (request, outcome) in requests { tally.take(request, outcome, of: .noteAndLoad) }
        }
        return (tally, begun, host)
    }

    private func begin(_ act: Act, by host: HostApplication, _ tally: inout Tally) throws -> ExtensionRequest {
        let request = try host.start(Self.puppet, items: act.items(notes: notes))
        tally.begun += 1
        return request
    }

    /// Whoever is not connected yet has lost nothing.
    private func connect(_ name: String) async throws -> HostApplication {
        for _ in 0..<20 {
            if let host = try? await HostApplication.connect(name: name, to: address, patience: .seconds(20)) {
                return host
            }
        }
        return try await HostApplication.connect(name: name, to: address, patience: .seconds(20))
    }

    /// Ends what runs, and waits until every request that a process had has heard of that one's end; those that have
    /// not.
    private func unended(_ requests: [ExtensionRequest], within patience: Duration) async throws -> [String] {
        let end = ContinuousClock.now + patience
        try await kill(until: end)
        var unended: [String] = []
        for request in requests where request.processIdentifier != nil {
            while request.currentExit == nil, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(2)) }
            if request.currentExit == nil { unended.append("\(request.identifier)") }
        }
        return unended
    }

    /// Said again to the next daemon, until one has done it or nothing runs any more.
    private func kill(until end: ContinuousClock.Instant) async throws {
        while true {
            do {
                let control = try await DaemonControl.connect(name: "story", to: address)
                _ = try await control.kill(.identifier(Self.puppet))
                return
            } catch let error as ExtensionHostError {
                if error.code == .noSuchExtension { return }
                guard ContinuousClock.now < end else { throw error }
                try await Task.sleep(for: .milliseconds(2))
            }
        }
    }
}

/// The end of standard input, or a byte of it, waited for by a thread of its own.
private final class InputEnd: Sendable {
    private let state = Atomic(false)
    var hasCome: Bool { state.load(ordering: .relaxed) }

    init() {
        Thread.detachNewThread { [self] in
            var byte: UInt8 = 0
            while true {
                if read(0, &byte, 1) >= 0 || errno != EINTR { break }
            }
            state.store(true, ordering: .relaxed)
        }
    }
}
