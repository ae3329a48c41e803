// BackgroundSessionTests: Apple's interface in front of the service.

import BackgroundTransfers
import Foundation
import Testing
import TransferMessages
import TransferService

/// A process has one connection to the service, so the tests run one after the other.
@Suite(.serialized) struct BackgroundSessionTests {
    private static let file = Array("the contents".utf8)

    private func configuration(_ identifier: String = "s") -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.sharedContainerIdentifier = InProcessService.group
        return configuration
    }

    private func session(_ delegate: Recorder, _ identifier: String = "s") -> URLSession {
        URLSession(configuration: configuration(identifier), delegate: delegate, delegateQueue: nil)
    }

    private let url = URL(string: "https://example.org/a")!

    // spec: BT-15, BT-20, BT-21
    @Test("BT-15, BT-20, BT-21: the guide's listing begins a download; the app gets file and events, and the file goes")
    func guideListing() async throws {
        let service = try InProcessService { attempt in
            var answer = ScriptedEngine.Answer.file(Self.file, tag: nil, for: attempt)
            answer.delay = 10
            return answer
        }
        service.connect(.extension, number: 1)
        GuideListing().downloadTask()
        service.end(1)
        #expect(service.woken == [])
        service.advance(10)
        #expect(service.woken == ["com.mycompany.myapp.backgroundsession"])
        #expect(service.files.count == 1)
        service.connect(.app, number: 2)
        let recorder = Recorder()
        let session = session(recorder, "com.mycompany.myapp.backgroundsession")
        #expect(await recorder.events(through: "finished") == ["file the contents", "completed 200", "finished"])
        session.finishTasksAndInvalidate()
        #expect(await recorder.events(through: "invalid").last == "invalid 0")
        #expect(service.files == [])
    }

    // spec: BT-2, P-590, H1
    @Test("BT-2: without a container a session of an extension is invalid at once, and its tasks fail with −995")
    func needsContainer() async throws {
        let service = try InProcessService { _ in .init(200) }
        service.connect(.extension, number: 1)
        let recorder = Recorder()
        let session = URLSession(
            configuration: .background(withIdentifier: "s"), delegate: recorder, delegateQueue: nil)
        session.downloadTask(with: url).resume()
        #expect(await recorder.events(through: "completed") == ["invalid -995", "completed -995"])
    }

    // spec: BT-4, BT-7, P-591, H2
    @Test("BT-4, BT-7, BT-35: a session in use, another scheme and a missing right are errors of the task")
    func refusals() async throws {
        let service = try InProcessService { _ in .init(200) }
        let configuration = TransferConfiguration(identifier: "s", container: InProcessService.group)
        let other = TransferClient(
            number: 9, identifier: "org.example.app", app: InProcessService.app, side: .app,
            groups: [InProcessService.group], mayUseNetwork: true)
        let open = try PointEncoder.encode(OpenTransferSession(configuration))
        service.perform { $0.call(OpenTransferSession.name, open, from: other) { _ in } }
        service.connect(.extension, number: 1)
        let first = Recorder()
        session(first).downloadTask(with: url).resume()
        #expect(await first.events(through: "completed") == ["invalid -996", "completed -996"])
        let second = Recorder()
        session(second, "t").downloadTask(with: URL(string: "ftp://example.org/a")!).resume()
        #expect(await second.events(through: "completed") == ["completed -1002"])
        service.connect(.extension, number: 2, mayUseNetwork: false)
        let third = Recorder()
        session(third, "u").downloadTask(with: url).resume()
        #expect(await third.events(through: "completed") == ["completed -1020"])
    }

    // spec: BT-5
    @Test("BT-5: a lost connection gives −997 to the tasks, and the transfer goes on")
    func disconnection() async throws {
        let service = try InProcessService { attempt in
            var answer = ScriptedEngine.Answer.file(Self.file, tag: nil, for: attempt)
            answer.delay = 10
            return answer
        }
        service.connect(.extension, number: 1)
        let recorder = Recorder()
        let session = session(recorder)
        session.downloadTask(with: url).resume()
        service.lose(1)
        #expect(await recorder.events(through: "completed") == ["completed -997"])
        session.downloadTask(with: url).resume()
        #expect(await recorder.events(through: "completed").last == "completed -997")
        service.advance(10)
        #expect(service.woken == ["s"] && service.files.count == 1)
    }

    // spec: BT-4
    @Test("BT-4: a second session with a delegate gets −996 in the same process, too; one without shares the first")
    func oneIdentifierTwice() async throws {
        let service = try InProcessService { _ in .init(200) }
        service.connect(.app, number: 1)
        let (first, second) = (Recorder(), Recorder())
        let own = session(first)
        session(second).downloadTask(with: url).resume()
        #expect(await second.events(through: "completed") == ["invalid -996", "completed -996"])
        // Tutorials make a session for each task.
        for _ in 0..<2 { URLSession(configuration: configuration()).downloadTask(with: url).resume() }
        own.downloadTask(with: url).resume()
        for _ in 0..<3 { _ = await first.events(through: "completed") }
        #expect(first.all.filter { $0 == "completed 200" }.count == 3)
        own.finishTasksAndInvalidate()
        #expect(await first.events(through: "invalid").last == "invalid 0")
        let third = Recorder()
        session(third).downloadTask(with: url).resume()
        #expect(await third.events(through: "completed").last == "completed 200")
    }

    @Test("BT-23: events that a session without a delegate has passed over come to the next with one")
    func laterDelegate() async throws {
        let service = try InProcessService { attempt in .file(Self.file, tag: nil, for: attempt) }
        service.connect(.app, number: 1)
        let mute = URLSession(configuration: configuration())
        mute.downloadTask(with: url).resume()
        while await !mute.allTasks.isEmpty { await Task.yield() }
        let recorder = Recorder()
        let session = session(recorder)
        #expect(await recorder.events(through: "completed") == ["file the contents", "completed 200"])
        withExtendedLifetime(session) {}
    }

    @Test("BT-15, BT-21: a session that is made again with another container gets its files from the first one")
    func otherContainer() async throws {
        let service = try InProcessService { attempt in
            .file(attempt.task == 1 ? Self.file : Array("the second".utf8), tag: nil, for: attempt)
        }
        service.connect(.extension, number: 1)
        URLSession(configuration: configuration()).downloadTask(with: url).resume()
        service.end(1)
        service.advance(1)
        service.connect(.app, number: 2)
        let recorder = Recorder()
        let other = configuration()
        other.sharedContainerIdentifier = InProcessService.otherGroup
        let session = URLSession(configuration: other, delegate: recorder, delegateQueue: nil)
        #expect(await recorder.events(through: "finished") == ["file the contents", "completed 200", "finished"])
        session.downloadTask(with: url).resume()
        #expect(await recorder.events(through: "completed").suffix(2) == ["file the second", "completed 200"])
        session.finishTasksAndInvalidate()
        #expect(await recorder.events(through: "invalid").last == "invalid 0")
        #expect(service.files == [])
    }

    @Test("BT-23: a file that the process cannot read stays for a process that can")
    func foreignContainer() async throws {
        let service = try InProcessService { attempt in
            var answer = ScriptedEngine.Answer.file(Self.file, tag: nil, for: attempt)
            if attempt.request.url.hasSuffix("bad") {
                answer.status = nil
                answer.fault = TransferEngineFault(code: -1_007, message: "bad", isTransient: false)
            }
            return answer
        }
        service.connect(.extension, number: 1, containers: [])
        let recorder = Recorder()
        let first = session(recorder)
        first.downloadTask(with: url).resume()
        service.advance(1)
        // The end of this one comes after that of the other.
        first.downloadTask(with: URL(string: "https://example.org/bad")!).resume()
        #expect(await recorder.events(through: "completed").last == "completed -1007")
        service.end(1)
        service.connect(.app, number: 2)
        let second = Recorder()
        let session = session(second)
        // The first process may have ended before it has confirmed the other end, which then comes again.
        let events = await second.events(through: "finished").filter { $0 != "completed -1007" }
        #expect(events == ["file the contents", "completed 200", "finished"])
        #expect(recorder.all.filter { !$0.hasPrefix("wrote") } == ["completed -1007"])
        withExtendedLifetime((first, session)) {}
    }

    @Test("BT-23: a session that is invalidated before its task ends confirms the end, and nobody is woken")
    func earlyInvalidation() async throws {
        let service = try InProcessService { attempt in .file(Self.file, tag: nil, for: attempt) }
        service.connect(.app, number: 1)
        let recorder = Recorder()
        let session = session(recorder)
        let task = session.downloadTask(with: url)
        session.finishTasksAndInvalidate()
        task.resume()
        let events = await recorder.events(through: "invalid").filter { !$0.hasPrefix("wrote") }
        #expect(events == ["file the contents", "completed 200", "invalid 0"])
        service.end(1)
        #expect(service.woken == [] && service.files == [])
    }

    @Test("BT-1: a task whose resumption fails ends with the reason, and does not stay at the service")
    func failedResumption() async throws {
        let service = try InProcessService { _ in .init(200) }
        service.connect(.app, number: 1)
        let recorder = Recorder()
        let session = session(recorder)
        service.failNext(ResumeTransferTask.name)
        session.downloadTask(with: url).resume()
        #expect(await recorder.events(through: "completed") == ["completed -1"])
        #expect(await session.allTasks.isEmpty)
        session.finishTasksAndInvalidate()
        #expect(await recorder.events(through: "invalid") == ["completed -1", "invalid 0"])
        // Another session of the identifier finds nothing.
        let second = Recorder()
        let again = self.session(second)
        #expect(await again.allTasks.isEmpty)
    }

    // spec: BT-33
    @Test("BT-33: resume data goes on where the download was cancelled; other data fails with −1")
    func resumeData() async throws {
        let service = try InProcessService { attempt in
            var answer = ScriptedEngine.Answer.file(
                Self.file, tag: "\"a\"", for: attempt, cut: attempt.offset == 0 ? 4 : nil)
            answer.duration = attempt.offset == 0 ? 100 : 0
            return answer
        }
        service.connect(.app, number: 1)
        let recorder = Recorder()
        let session = session(recorder)
        let task = session.downloadTask(with: url)
        task.taskDescription = "first"
        task.resume()
        #expect(await recorder.events(through: "wrote") == ["wrote 4/12"])
        #expect(await session.allTasks.map(\.taskDescription) == ["first"])
        let data = await withCheckedContinuation { done in
            task.cancel(byProducingResumeData: { done.resume(returning: $0) })
        }
        #expect(await recorder.events(through: "completed").last == "completed -999")
        session.downloadTask(withResumeData: try #require(data)).resume()
        #expect(
            await recorder.events(through: "completed").suffix(4) == [
                "at 4/12", "wrote 12/12", "file the contents", "completed 200",
            ])
        session.downloadTask(withResumeData: Data("nonsense".utf8)).resume()
        #expect(await recorder.events(through: "completed").last == "completed -1")
        #expect(await session.allTasks.isEmpty)
    }

    // spec: BT-9, BT-10, P-592
    @Test("BT-9: an upload from a file sends it whole, and its answer comes as data")
    func uploads() async throws {
        let service = try InProcessService { attempt in
            attempt.request.method == "PUT" && attempt.request.headers.contains(TransferHeader("X-Own", "1"))
                ? .init(201, body: Array("thanks".utf8)) : .init(400)
        }
        service.connect(.extension, number: 1)
        let recorder = Recorder()
        let session = session(recorder)
        let body = service.container.appendingPathComponent("body")
        try Data(repeating: 7, count: 70_000).write(to: body)
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        request.setValue("1", forHTTPHeaderField: "X-Own")
        session.uploadTask(with: request, fromFile: body).resume()
        #expect(await recorder.events(through: "completed") == ["sent 70000/70000", "data thanks", "completed 201"])
        session.uploadTask(with: request, fromFile: service.container.appendingPathComponent("absent")).resume()
        #expect(await recorder.events(through: "completed").last == "completed -1100")
    }

    // spec: BT-8, BT-9
    // not simulated: N-106
    @Test("BT-8, BT-9: completion handlers and uploads from data end the program, with the reason in words")
    func traps() async throws {
        let handler = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let session = URLSession(configuration: .background(withIdentifier: "s"))
            _ = session.downloadTask(with: URL(string: "https://example.org")!) { _, _, _ in }
        }
        #expect(words(handler).contains("has no completion handlers"))
        let data = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let session = URLSession(configuration: .background(withIdentifier: "s"))
            _ = session.uploadTask(with: URLRequest(url: URL(string: "https://example.org")!), from: Data())
        }
        #expect(words(data).contains("has no upload from data"))
    }

    private func words(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func otherConfigurationsAreThoseOfFoundationNetworking() async throws {
        let session = URLSession(configuration: .ephemeral)
        #expect(session.configuration.identifier == nil)
        // Nobody listens on port 1.
        await #expect(throws: URLError.self) { try await session.data(from: URL(string: "http://127.0.0.1:1/")!) }
        let recorder = Recorder()
        let own = URLSession(configuration: .default, delegate: recorder, delegateQueue: nil)
        own.dataTask(with: URL(string: "http://127.0.0.1:1/")!).resume()
        #expect(await recorder.events(through: "completed") == ["completed -1004"])
        own.finishTasksAndInvalidate()
        #expect(await recorder.events(through: "invalid").last == "invalid 0")
        #expect(URLSessionConfiguration.backgroundSessionConfigurationWithRandomizedIdentifier().identifier != nil)
    }
}
