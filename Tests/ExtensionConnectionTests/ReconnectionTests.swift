// Reconnection: a channel whose connection is lost comes back and goes on, or ends, once and with the reason of the
// loss.

import ExtensionConnection
import ExtensionProtocol
import LinuxSystem
import Locks
import Testing

/// A started channel that comes back, and what its reader thread says.
private struct Returning {
    let channel: Channel
    let restarts: AsyncStream<Welcome>
    let ends: AsyncStream<ExtensionHostError>

    /// - Parameter restarts: whether it goes on with a daemon that has forgotten it.
    init(_ daemon: ResumableDaemon, patience: Duration = .seconds(30), restarts isWanted: Bool = false) throws {
        channel = try daemon.open(patience: patience).channel
        let (restarts, restarted) = AsyncStream.makeStream(of: Welcome.self)
        let (ends, ended) = AsyncStream.makeStream(of: ExtensionHostError.self)
        (self.restarts, self.ends) = (restarts, ends)
        let onRestart: @Sendable (Welcome) -> Void = { restarted.yield($0) }
        try channel.start(
            onPacket: { _ in }, onRestart: isWanted ? onRestart : nil,
            onClose: { failure in
                ended.yield(failure)
                ended.finish()
                restarted.finish()
            })
    }

    /// Its one end.
    func end() async throws -> ExtensionHostError {
        var all: [ExtensionHostError] = []
        for await end in ends { all.append(end) }
        #expect(all.count == 1)
        return try #require(all.first)
    }
}

@Suite struct ReconnectionTests {
    // MARK: Coming back

    @Test(arguments: [1, 2, 3, 7]) func everyQuestionIsAskedOnceAndAnsweredOnceOverManySockets(dropsAfter: Int)
        async throws
    {
        let daemon = try ResumableDaemon(dropsAfter: dropsAfter)
        defer { daemon.stop() }
        let client = try Returning(daemon)
        let count = 200
        let (answers, continuation) = AsyncStream.makeStream(of: Int.self)
        for number in 0..<count {
            try client.channel.request(ListHosts(offset: number)) { answer in
                continuation.yield((try? answer.get().message(Page<HostRecord>.self))?.count ?? -1)
            }
        }
        var got: [Int] = []
        for await answer in answers {
            got.append(answer)
            if got.count == count { break }
        }
        #expect(got == (0..<count).map { $0 * 3 })
        #expect(daemon.offsets == Array(0..<count))
        #expect(daemon.tries > 1 + count / (Window.standard.packets + dropsAfter))
        client.channel.close()
        #expect(try await client.end().code == .connectionLost)
    }

    @Test func whatIsSentWhileTheDaemonIsAwayArrivesInOrderWhenItIsBack() async throws {
        let daemon = try ResumableDaemon([.sound] + Array(repeating: .absent, count: 5))
        defer { daemon.stop() }
        let client = try Returning(daemon)
        client.channel.drop()
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...20 { group.addTask { try await client.channel.ask(ListHosts(offset: number)).count } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.sorted() == (1...20).map { $0 * 3 })
        #expect(daemon.offsets.sorted() == Array(1...20))
        #expect(daemon.tries == 7)
        client.channel.close()
    }

    @Test func aConnectionThatIsLostAgainAtOnceIsTriedAgain() async throws {
        let daemon = try ResumableDaemon([.sound, .closes, .closes])
        defer { daemon.stop() }
        // No patience for a daemon that is not there; one that is and does not keep the connection has its moment.
        let client = try Returning(daemon, patience: .zero)
        client.channel.drop()
        #expect(try await client.channel.ask(ListHosts(offset: 4)).count == 12)
        #expect(daemon.tries == 4)
        client.channel.close()
    }

    // MARK: A session that is gone

    @Test func aDaemonThatHasForgottenTheSessionEndsWhatWasOpenAndServesOn() async throws {
        let daemon = try ResumableDaemon([.sound, .forgets])
        defer { daemon.stop() }
        let client = try Returning(daemon, restarts: true)
        #expect(try await client.channel.ask(ListHosts(offset: 1)).count == 3)
        let (failures, continuation) = AsyncStream.makeStream(of: ExtensionHostError?.self)
        // Nobody answers a change of state there.
        try client.channel.request(SetState(state: .active)) { answer in
            if case .failure(let failure) = answer { continuation.yield(failure) } else { continuation.yield(nil) }
            continuation.finish()
        }
        client.channel.drop()
        var all: [ExtensionHostError?] = []
        for await failure in failures { all.append(failure) }
        #expect(all.map { $0?.code } == [.connectionLost])
        var restarts = client.restarts.makeAsyncIterator()
        #expect(await restarts.next()?.token == [2])
        // The new session can be lost and gone on with as the first.
        client.channel.drop()
        #expect(try await client.channel.ask(ListHosts(offset: 2)).count == 6)
        #expect(daemon.offsets == [1, 2])
        client.channel.close()
        #expect(await restarts.next() == nil)
    }

    /// What is asked as soon as one session has ended belongs to the next, however early that is.
    @Test func whatIsAskedBetweenTwoSessionsIsOfTheSecond() async throws {
        let daemon = try ResumableDaemon([.sound, .forgets])
        defer { daemon.stop() }
        let channel = try daemon.open().channel
        let (answers, continuation) = AsyncStream.makeStream(of: String.self)
        let ask: @Sendable (Int) -> Void = { offset in
            do throws(ExtensionHostError) {
                try channel.request(ListHosts(offset: offset), onSession: { continuation.yield("asked in \($0)") }) {
                    answer in
                    let count = (try? answer.get().message(Page<HostRecord>.self))?.count
                    continuation.yield("answered with \(count ?? -1)")
                }
            } catch {
                continuation.yield("\(error)")
            }
        }
        try channel.start(
            onPacket: { _ in },
            onEnd: { welcome, session in
                continuation.yield("\(session) ended, there is \(welcome?.token.first ?? 0)")
                ask(5)
            },
            onRestart: { _ in }, onClose: { _ in })
        var said = answers.makeAsyncIterator()
        ask(1)
        #expect(await said.next() == "asked in 0")
        #expect(await said.next() == "answered with 3")
        channel.drop()
        #expect(await said.next() == "0 ended, there is 2")
        #expect(await said.next() == "asked in 1")
        #expect(await said.next() == "answered with 15")
        channel.close()
    }

    @Test func aClientThatCannotBeginAnewEndsWithTheLoss() async throws {
        let daemon = try ResumableDaemon([.sound, .forgets])
        defer { daemon.stop() }
        let client = try Returning(daemon)
        client.channel.drop()
        let end = try await client.end()
        #expect(end.code == .connectionLost)
        #expect(daemon.tries == 2)
        #expect(throws: end) { try client.channel.send(Fence()) }
    }

    // MARK: Giving up

    @Test(arguments: [false, true]) func aRefusalIsFinalAndAClaimThatCannotBeIsOne(isClaim: Bool) async throws {
        let refusal = ResumableDaemon.Manner.refuses(ExtensionHostError(.notPermitted, "another user's"))
        let daemon = try ResumableDaemon([.sound, isClaim ? .claims(77) : refusal])
        defer { daemon.stop() }
        let client = try Returning(daemon, restarts: true)
        client.channel.drop()
        #expect(try await client.end().code == (isClaim ? .protocolViolation : .connectionLost))
        #expect(daemon.tries == 2, "asked once, and not again")
        var restarts = client.restarts.makeAsyncIterator()
        #expect(await restarts.next() == nil)
    }

    @Test func aDaemonThatIsNotThereIsTriedOnceAtLeastAndForItsPatienceAtMost() async throws {
        for patience in [Duration.zero, .seconds(3)] {
            let daemon = try ResumableDaemon([.sound] + Array(repeating: .absent, count: 10_000))
            defer { daemon.stop() }
            let client = try Returning(daemon, patience: patience)
            let start = ContinuousClock.now
            client.channel.drop()
            #expect(try await client.end().code == .connectionLost)
            #expect(start.duration(to: .now) >= patience)
            // Ten milliseconds and more between two tries.
            if patience == .zero { #expect(daemon.tries == 2) } else { #expect((3...302).contains(daemon.tries)) }
        }
    }

    @Test func closingEndsTheWaitForADaemonThatIsAway() async throws {
        let daemon = try ResumableDaemon([.sound] + Array(repeating: .absent, count: 1_000_000))
        defer { daemon.stop() }
        let client = try Returning(daemon, patience: .seconds(600))
        client.channel.drop()
        for await tries in daemon.attempts where tries == 3 { break }
        client.channel.close()
        let closed = ContinuousClock.now
        #expect(try await client.end().code == .connectionLost)
        #expect(closed.duration(to: .now) < .seconds(60))
    }

    @Test func aChannelThatWasClosedDoesNotComeBack() async throws {
        let daemon = try ResumableDaemon()
        defer { daemon.stop() }
        let client = try Returning(daemon)
        #expect(try await client.channel.ask(ListHosts(offset: 1)).count == 3)
        client.channel.close()
        _ = try await client.end()
        #expect(daemon.tries == 1)
    }
}
