// Channel: handshake, answers for their questions from any thread, and an end that everybody hears of once.

import ExtensionConnection
import ExtensionProtocol
import Glibc
import LinuxSystem
import Locks
import Testing

/// A channel that is started, and the stream of what its reader thread says.
private struct Client {
    enum Event: Sendable {
        case packet(Packet)
        case closed(ExtensionHostError)
    }

    let channel: Channel
    let events: AsyncStream<Event>

    init(_ socket: consuming Socket) throws {
        channel = try Channel.open(socket: socket, hello: Hello(role: .host, name: "Photos", sdk: "tests")).channel
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
        events = stream
        try channel.start(
            onPacket: { continuation.yield(.packet($0)) },
            onClose: {
                continuation.yield(.closed($0))
                continuation.finish()
            })
    }

    /// All packets until the end, and the end; the stream ends after it, so there was one.
    func end() async throws -> (packets: [Packet], failure: ExtensionHostError) {
        var packets: [Packet] = []
        var failures: [ExtensionHostError] = []
        for await event in events {
            switch event {
            case .packet(let packet): packets.append(packet)
            case .closed(let failure): failures.append(failure)
            }
        }
        #expect(failures.count == 1)
        return (packets, try #require(failures.first))
    }
}

@Suite struct ChannelTests {
    // MARK: Handshake

    @Test func theHelloArrivesAndTheWelcomeComesBack() async throws {
        let (hellos, continuation) = AsyncStream.makeStream(of: Hello.self)
        let socket = try StandInDaemon.start { connection, packet in
            continuation.yield(try packet.message())
            try connection.enqueue(StandInDaemon.welcome)
            return true
        }
        let (channel, welcome) = try Channel.open(
            socket: socket, hello: Hello(role: .control, sdk: "tests", output: true))
        #expect(welcome.token == [1, 2, 3])
        #expect(welcome.host == "Photos#1")
        var iterator = hellos.makeAsyncIterator()
        let hello = await iterator.next()
        #expect(hello?.role == .control)
        #expect(hello?.output == true)
        channel.close()
    }

    @Test func aRefusedHelloFailsWithTheDaemonsOwnError() throws {
        let why = ExtensionHostError(.versionMismatch, "no common version", remedy: "Update the kit")
        let socket = try StandInDaemon.start { connection, _ in
            connection.sendLastWords(why)
            return false
        }
        #expect(refusal(of: socket) == why)
    }

    @Test func aDaemonThatClosesDuringTheHandshakeIsALostConnection() throws {
        let socket = try StandInDaemon.start { _, _ in false }
        let error = refusal(of: socket)
        #expect(error?.code == .connectionLost)
    }

    @Test func aDaemonThatDoesNotAnswerTheHelloIsGivenUpWithARemedy() throws {
        let socket = try StandInDaemon.start { _, _ in true }
        let error = refusal(of: socket, patience: 20)
        #expect(error?.code == .noDaemon)
        #expect(error?.remedy != nil)
    }

    @Test func somethingElseThanAWelcomeIsAViolation() throws {
        let socket = try StandInDaemon.start { connection, packet in
            connection.openCredit(.standard)
            try connection.enqueue(Fence())
            return true
        }
        let error = refusal(of: socket)
        #expect(error?.code == .protocolViolation)
    }

    /// Why a channel did not open; nil when it did.
    private func refusal(of socket: consuming Socket, patience: Int32 = 10_000) -> ExtensionHostError? {
        do throws(ExtensionHostError) {
            _ = try Channel.open(socket: socket, hello: Hello(role: .host, sdk: "tests"), patience: patience)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Questions and answers

    @Test func questionsFromManyThreadsGetTheirOwnAnswersThoughTheseComeInAnotherOrder() async throws {
        var held: [(UInt32, Int)] = []
        let client = try Client(
            try StandInDaemon.startWelcoming { connection, packet in
                held.append((packet.serial, try packet.message(ListHosts.self).offset))
                guard held.count == 4 else { return true }
                for (serial, offset) in held.reversed() {
                    try connection.enqueue(
                        Page<HostRecord>(entries: [], offset: offset, count: offset * 3), replyTo: serial)
                }
                held = []
                return true
            })
        let threads = 8
        let each = 100
        let (answers, continuation) = AsyncStream.makeStream(of: Bool.self)
        for thread in 0..<threads {
            let channel = client.channel
            try startThread(named: "asker") {
                for number in 0..<each {
                    let offset = thread * 1000 + number
                    do {
                        try channel.request(ListHosts(offset: offset)) { answer in
                            let page = try? answer.get().message(Page<HostRecord>.self)
                            continuation.yield(page?.offset == offset && page?.count == offset * 3)
                        }
                    } catch {
                        continuation.yield(false)
                    }
                }
            }
        }
        var right = 0
        var all = 0
        for await isRight in answers {
            all += 1
            right += isRight ? 1 : 0
            if all == threads * each { break }
        }
        #expect(right == threads * each)
        client.channel.close()
        #expect(try await client.end().failure.code == .connectionLost)
    }

    @Test func askingWaitsForTheAnswer() async throws {
        let client = try Client(
            try StandInDaemon.startWelcoming { connection, packet in
                try connection.enqueue(Page<HostRecord>(entries: [], offset: 0, count: 12), replyTo: packet.serial)
                return true
            })
        #expect(try await client.channel.ask(ListHosts()).count == 12)
        client.channel.close()
    }

    @Test func anErrorAsAnAnswerFailsItsQuestionAndNotTheConnection() async throws {
        let why = ExtensionHostError(.noSuchHost, "no host Photos", remedy: "Start it")
        let client = try Client(
            try StandInDaemon.startWelcoming { connection, packet in
                if packet.kind == .setHostState {
                    try connection.enqueue(ErrorReply(why), replyTo: packet.serial)
                } else {
                    try connection.enqueue(Success(), replyTo: packet.serial)
                }
                return true
            })
        await #expect(throws: why) { _ = try await client.channel.ask(SetHostState(host: "Photos", state: .active)) }
        _ = try await client.channel.ask(SetState(state: .inactive))
        client.channel.close()
    }

    @Test func anAnswerOfTheWrongKindFailsTheAskerByName() async throws {
        let client = try Client(
            try StandInDaemon.startWelcoming { connection, packet in
                try connection.enqueue(Success(), replyTo: packet.serial)
                return true
            })
        let error = await #expect(throws: ExtensionHostError.self) { _ = try await client.channel.ask(ListHosts()) }
        #expect(error?.code == .protocolViolation)
        #expect(error?.message == "\(ProtocolError.unexpected(kind: "success", state: "in place of hosts"))")
        client.channel.close()
    }

    @Test func packetsThatAnswerNothingReachTheReceiverInOrder() async throws {
        let client = try Client(
            try StandInDaemon.startWelcoming { connection, _ in
                for number in 0..<500 { try connection.enqueue(ListHosts(offset: number)) }
                try connection.enqueue(Terminate(cause: .idle))
                return true
            })
        try client.channel.send(Fence())
        var offsets: [Int] = []
        for await event in client.events {
            guard case .packet(let packet) = event, packet.kind == .listHosts else { break }
            offsets.append(try packet.message(ListHosts.self).offset)
        }
        #expect(offsets == Array(0..<500))
        client.channel.close()
    }

    @Test func moreThanTheSocketTakesIsSentByTheReaderLater() async throws {
        var sum = 0
        let client = try Client(
            try StandInDaemon.startWelcoming { connection, packet in
                sum += try packet.payload.bytes()?.count ?? 0
                guard packet.kind == .listHosts else { return true }
                try connection.enqueue(Page<HostRecord>(entries: [], offset: 0, count: sum), replyTo: packet.serial)
                return true
            })
        let payload = Payload.inline([UInt8](repeating: 1, count: 20_000))
        for _ in 0..<200 { try client.channel.send(Fence(), payload: payload) }
        #expect(try await client.channel.ask(ListHosts()).count == 200 * 20_000)
        client.channel.close()
    }

    @Test func whatCannotBeSentIsSaidToTheSenderAndTheConnectionLives() async throws {
        let client = try Client(
            try StandInDaemon.startWelcoming { connection, packet in
                try connection.enqueue(Success(), replyTo: packet.serial)
                return true
            })
        let text = String(repeating: "x", count: PacketLimits.body)
        let error = #expect(throws: ExtensionHostError.self) {
            try client.channel.send(ContextFault(request: RequestIdentifier(), detail: text))
        }
        #expect(error?.code == .payloadTooLarge)
        _ = try await client.channel.ask(SetState(state: .active))
        client.channel.close()
    }

    // MARK: The end

    @Test(arguments: [false, true])
    func theEndAnswersEverybodyOnceAndThenTheOwner(_ byUs: Bool) async throws {
        let count = 50
        var seen = 0
        let client = try Client(
            try StandInDaemon.startWelcoming { _, _ in
                seen += 1
                return byUs || seen < count
            })
        let book = AnswerBook()
        for number in 0..<count {
            try client.channel.request(SetState(state: .active)) { answer in
                if case .failure(let failure) = answer { book.note(number, failure) }
            }
        }
        if byUs { client.channel.close() }
        let failure = try await client.end().failure
        #expect(failure.code == .connectionLost)
        // The owner hears last, so all have been answered now.
        #expect(book.counts == Array(repeating: 1, count: count))
        #expect(book.failures == [failure])
        #expect(throws: failure) { try client.channel.send(Fence()) }
        #expect(throws: failure) { try client.channel.request(SetState(state: .active)) { _ in } }
    }

    @Test func theDaemonsLastWordsAreTheTextOfTheFailure() async throws {
        let client = try Client(
            try StandInDaemon.startWelcoming { connection, _ in
                connection.sendLastWords(
                    ExtensionHostError(.quotaExceeded, "a thousand requests are open", remedy: "End some"))
                return false
            })
        let asked = Task { try await client.channel.ask(ListHosts()) }
        let failure = try await client.end().failure
        #expect(failure.message.contains("a thousand requests are open"))
        #expect(failure.remedy == "End some")
        await #expect(throws: failure) { _ = try await asked.value }
    }

    @Test(arguments: 0..<20)
    func everythingThatTheDaemonSaidBeforeItClosedIsHeard(_ round: Int) async throws {
        let client = try Client(
            try StandInDaemon.startWelcoming { connection, _ in
                for number in 0..<60 { try connection.enqueue(ListHosts(offset: number)) }
                _ = try connection.flush()
                connection.sendLastWords(ExtensionHostError(.interrupted, "the daemon is stopping"))
                return false
            })
        try client.channel.send(Fence())
        let (packets, failure) = try await client.end()
        #expect(packets.count == 60)
        #expect(failure.message.contains("the daemon is stopping"))
    }

    @Test func anAnswerThatNobodyWaitsForEndsTheConnection() async throws {
        let client = try Client(
            try StandInDaemon.startWelcoming { connection, _ in
                try connection.enqueue(Success(), replyTo: 4711)
                return true
            })
        try client.channel.send(Fence())
        let failure = try await client.end().failure
        #expect(failure.code == .protocolViolation)
        #expect(failure.message.contains("4711"))
    }

    @Test func aSecondAnswerToOneQuestionEndsTheConnection() async throws {
        let client = try Client(
            try StandInDaemon.startWelcoming { connection, packet in
                for _ in 0..<2 { try connection.enqueue(Success(), replyTo: packet.serial) }
                return true
            })
        _ = try await client.channel.ask(SetState(state: .active))
        #expect(try await client.end().failure.code == .protocolViolation)
    }
}

/// Who has been answered how often, and with what.
private final class AnswerBook: Sendable {
    private let state = Mutex<(counts: [Int: Int], failures: Set<ExtensionHostError>)>(([:], []))

    func note(_ number: Int, _ failure: ExtensionHostError) {
        state.withLock {
            $0.counts[number, default: 0] += 1
            $0.failures.insert(failure)
        }
    }

    var counts: [Int] { state.withLock { state in state.counts.keys.sorted().map { state.counts[$0] ?? 0 } } }
    var failures: Set<ExtensionHostError> { state.withLock { $0.failures } }
}
