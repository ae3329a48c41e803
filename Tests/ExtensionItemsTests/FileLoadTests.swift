// FileLoadTests: files of loads: how long they live, what they are called, what happens to hostile ones.

import ExtensionItems
import Foundation
import Glibc
import LinuxSystem
import Locks
import PropertyListCoding
import Testing
import UniformTypeIdentifiers

@Suite struct FileLoadTests {
    private func provider(_ bytes: Data = Data("bytes".utf8), name: String? = "note.txt") -> NSItemProvider {
        let provider = NSItemProvider(item: NSData(data: bytes), typeIdentifier: "public.plain-text")
        provider.suggestedName = name
        return provider
    }

    // spec: P-071, B6
    @Test func theFileIsThereForTheHandlerAndGoneWhenItReturns() async throws {
        let url: URL = try await withCheckedThrowingContinuation { continuation in
            provider().loadFileRepresentation(forTypeIdentifier: "public.text") { url, error in
                guard let url else { return continuation.resume(throwing: error ?? CocoaError(.fileNoSuchFile)) }
                #expect(url.lastPathComponent == "note.txt")
                #expect((try? Data(contentsOf: url)) == Data("bytes".utf8))
                // The file goes when this returns, and then its folder; a thread of its own waits for that.
                Thread.detachNewThread {
                    let end = ContinuousClock.now + .seconds(60)
                    let folder = url.deletingLastPathComponent().path
                    while FileManager.default.fileExists(atPath: folder), ContinuousClock.now < end { usleep(1000) }
                    continuation.resume(returning: url)
                }
            }
        }
        #expect(!FileManager.default.fileExists(atPath: url.deletingLastPathComponent().path))
    }

    // spec: P-071, B6
    @Test func theFileIsGoneBeforeTheNextHandlerIsCalled() async throws {
        // One by one: a handler is called when everything about the one before it is done.
        let delivery = SerialDelivery(seed: 1)
        let files = Mutex<[URL]>([])
        let left = Atomic(0)
        let done = Gate()
        delivery.hold()
        ItemMode.with(ItemMode(delivery: delivery)) {
            for _ in 0..<3 {
                provider().loadFileRepresentation(forTypeIdentifier: "public.text") { url, error in
                    #expect(error == nil)
                    let earlier = files.withLock { files in
                        defer { files += url.map { [$0] } ?? [] }
                        return files
                    }
                    #expect(url.map { FileManager.default.fileExists(atPath: $0.path) } == true)
                    for file in earlier
                    where FileManager.default.fileExists(atPath: file.deletingLastPathComponent().path) {
                        left.add(1, ordering: .relaxed)
                    }
                    if earlier.count == 2 || url == nil { done.open() }
                }
            }
        }
        delivery.release()
        await done.passed()
        #expect(left.load(ordering: .relaxed) == 0, "files of handlers that had returned")
    }

    // spec: P-071
    @Test func aFileThatTheHandlerMovedAwayStays() async throws {
        try await withItemDirectory { directory in
            let kept = directory.appendingPathComponent("kept")
            try await ItemMode.with(ItemMode(poisonsFiles: true)) {
                try await provider().loadFileRepresentation(forTypeIdentifier: "public.text") { url in
                    try FileManager.default.moveItem(at: url, to: kept)
                }
            }
            #expect(try Data(contentsOf: kept) == Data("bytes".utf8))
        }
    }

    @Test func aReaderThatKeepsTheFileOpenSeesPoisonInPoisonMode() async throws {
        for poisons in [true, false] {
            let handle = try await ItemMode.with(ItemMode(poisonsFiles: poisons)) {
                try await provider().loadFileRepresentation(forTypeIdentifier: "public.text") { url in
                    try FileHandle(forReadingFrom: url)
                }
            }
            let left = try handle.readToEnd()
            #expect(left == (poisons ? Data(repeating: 0xDB, count: 5) : Data("bytes".utf8)))
        }
    }

    /// What stands for a confined extension, for which the host's path leads to nothing, or to another's file.
    private struct Elsewhere: ItemLoader {
        let loopback: Loopback
        let change: @Sendable () -> Void

        func load(
            _ question: LoadQuestion, progress: @escaping @Sendable (Int64, Int64) -> Void,
            completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
        ) -> @Sendable () -> Void {
            loopback.load(question, progress: progress) { result in
                change()
                completion(result)
            }
        }
    }

    @Test func aFilesURLLeadsToItsBytesWhateverIsUnderItsNameHere() async throws {
        try await withItemDirectory { directory in
            let file = directory.appendingPathComponent("note.txt")
            let handled = NSItemProvider()
            handled.registerItem(forTypeIdentifier: "public.file-url") { answer, _, _ in answer?(file as NSURL, nil) }
            for replacement in [nil, "another's"] {
                try Data("bytes".utf8).write(to: file)
                let there = [
                    try #require(NSItemProvider(contentsOf: file)), NSItemProvider(item: file, typeIdentifier: nil),
                    handled,
                ]
                for (number, provider) in there.enumerated() {
                    let table = ProviderTable()
                    let encoded = try encodeItems([item(of: provider)], into: table)
                    let elsewhere = Elsewhere(loopback: Loopback(table: table)) {
                        try? FileManager.default.removeItem(at: file)
                        if let replacement { try? Data(replacement.utf8).write(to: file) }
                    }
                    let seen = try #require(try decodeItems(encoded, loader: elsewhere).first?.attachments?.first)
                    let loads: [(String, () async throws -> URL?)] = [
                        ("loadItem", { try await seen.loadItem(forTypeIdentifier: "public.file-url") as? URL }),
                        ("as URL", { try await seen.loadItem(forTypeIdentifier: "public.file-url", as: URL.self) }),
                        ("object", { try await seen.loadObject(ofClass: NSURL.self) as URL }),
                    ]
                    for (name, load) in loads {
                        try Data("bytes".utf8).write(to: file)
                        let url = try #require(try await load(), "\(name) of \(number)")
                        #expect(url != file && url.lastPathComponent == "note.txt", "\(name) of \(number)")
                        #expect((try? Data(contentsOf: url)) == Data("bytes".utf8), "\(name) of \(number)")
                    }
                    try Data("bytes".utf8).write(to: file)
                    #expect(
                        try await seen.loadItem(forTypeIdentifier: "public.file-url", as: Data.self)
                            == Data("bytes".utf8))
                }
            }
        }
    }

    @Test func aFileThatAHandlerMakesAndRemovesCanBeOpened() async throws {
        try await withItemDirectory { directory in
            for isRemovedAtOnce in [true, false] {
                // Each handler has its own folder: the first one may still be removing when the second one writes.
                let folder = directory.appendingPathComponent("\(isRemovedAtOnce)")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                let file = folder.appendingPathComponent("made.txt")
                let made = NSItemProvider()
                made.registerFileRepresentation(forTypeIdentifier: "public.plain-text", visibility: .all) { answer in
                    try? Data("bytes".utf8).write(to: file)
                    answer(file, false, nil)
                    if isRemovedAtOnce { try? FileManager.default.removeItem(at: file) }
                    return nil
                }
                let seen = try #require(try sent([item(of: made)], table: ProviderTable()).first?.attachments?.first)
                let url = try #require(try await seen.loadItem(forTypeIdentifier: "public.plain-text") as? URL)
                try? FileManager.default.removeItem(at: file)
                #expect(url.lastPathComponent == "made.txt" && (try? Data(contentsOf: url)) == Data("bytes".utf8))
            }
        }
    }

    @Test func aFileThatIsLoadedAgainIsTheSameCopy() async throws {
        try await withItemDirectory { directory in
            let (file, hidden) = (
                directory.appendingPathComponent("README"), directory.appendingPathComponent("hidden")
            )
            try Data("bytes".utf8).write(to: file)
            let table = ProviderTable()
            let provider = NSItemProvider(item: file, typeIdentifier: "public.plain-text")
            let encoded = try encodeItems([item(of: provider)], into: table)
            let elsewhere = Elsewhere(loopback: Loopback(table: table)) {
                try? FileManager.default.moveItem(at: file, to: hidden)
            }
            let seen = try #require(try decodeItems(encoded, loader: elsewhere).first?.attachments?.first)
            var urls: [URL] = []
            for _ in 0..<3 {
                urls.append(try await seen.loadItem(forTypeIdentifier: "public.text", as: URL.self))
                try FileManager.default.moveItem(at: hidden, to: file)
            }
            #expect(Set(urls).count == 1 && urls[0].lastPathComponent == "README")
            // Its reader may move the copy away.
            try FileManager.default.removeItem(at: urls[0])
            let again = try await seen.loadItem(forTypeIdentifier: "public.text", as: URL.self)
            #expect(again != urls[0] && (try? Data(contentsOf: again)) == Data("bytes".utf8))
        }
    }

    @Test func theCopyOfALoadedFileGoesWithItsProvider() async throws {
        try await withItemDirectory { directory in
            let file = directory.appendingPathComponent("note.txt")
            try Data("bytes".utf8).write(to: file)
            let table = ProviderTable()
            let encoded = try encodeItems([item(of: try #require(NSItemProvider(contentsOf: file)))], into: table)
            let elsewhere = Elsewhere(loopback: Loopback(table: table)) {
                try? FileManager.default.removeItem(at: file)
            }
            func load() async throws -> URL {
                let seen = try #require(try decodeItems(encoded, loader: elsewhere).first?.attachments?.first)
                let url = try await seen.loadItem(forTypeIdentifier: "public.file-url", as: URL.self)
                #expect(FileManager.default.fileExists(atPath: url.path))
                return url
            }
            let url = try await load()
            let end = ContinuousClock.now + .seconds(60)
            while FileManager.default.fileExists(atPath: url.path), ContinuousClock.now < end { usleep(1000) }
            #expect(!FileManager.default.fileExists(atPath: url.path))
        }
    }

    @Test func aFilesURLIsItsOwnWhereItLeadsToTheFile() async throws {
        try await withItemDirectory { directory in
            let file = directory.appendingPathComponent("note.txt")
            try Data("bytes".utf8).write(to: file)
            let provider = try #require(NSItemProvider(contentsOf: file))
            let seen = try #require(try sent([item(of: provider)], table: ProviderTable()).first?.attachments?.first)
            #expect(try await seen.loadItem(forTypeIdentifier: "public.file-url") as? URL == file)
            #expect(try await seen.loadItem(forTypeIdentifier: "public.text", as: URL.self) == file)
            #expect(try await seen.loadObject(ofClass: NSURL.self) as URL == file)
            let folder = try #require(NSItemProvider(contentsOf: directory))
            let seenFolder = try #require(
                try sent([item(of: folder)], table: ProviderTable()).first?.attachments?.first)
            #expect(
                try await seenFolder.loadItem(forTypeIdentifier: "public.file-url", as: URL.self).path == directory.path
            )
        }
    }

    /// The host's answer is checked as every stranger's is.
    @Test func aLoadedFileThatIsNoneIsRefused() async throws {
        struct Liar: ItemLoader {
            let value: PropertyList
            let descriptors: [SharedDescriptor]

            func load(
                _ question: LoadQuestion, progress: @escaping @Sendable (Int64, Int64) -> Void,
                completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
            ) -> @Sendable () -> Void {
                completion(.success(EncodedValue(plist: value, descriptors: descriptors)))
                return {}
            }
        }
        let raw = open("/dev/zero", O_RDONLY | O_CLOEXEC)
        try #require(raw >= 0)
        let device = SharedDescriptor(owning: raw)
        let encoded = try encodeItems([item(of: provider())], into: ProviderTable())
        for (place, descriptors) in [(0, [device]), (1, [device]), (-1, [device]), ("0", [device]), (0, [])]
            as [(PropertyList, [SharedDescriptor])]
        {
            let liar = Liar(value: ["$kind": "url", "string": "file:///x", "file": place], descriptors: descriptors)
            let seen = try #require(try decodeItems(encoded, loader: liar).first?.attachments?.first)
            await #expect(throws: ItemCodingError.self, "\(place)") {
                try await seen.loadItem(forTypeIdentifier: "public.text")
            }
        }
    }

    @Test(arguments: [
        ("../../etc/passwd", "_.._etc_passwd"), (".hidden", "hidden.txt"), ("", "item.txt"), ("..", "item.txt"),
        ("a/b", "a_b.txt"), ("line\nbreak.md", "line_break.md"), ("notes.md", "notes.md"), ("größe", "größe.txt"),
    ])
    func suggestedNamesBecomeSafeOnes(name: String, expected: String) {
        #expect(itemFileName(suggested: name, typeIdentifier: "public.plain-text") == expected)
    }

    @Test func longNamesAreCutBetweenCharacters() {
        let name = itemFileName(suggested: String(repeating: "é", count: 400) + ".jpeg", typeIdentifier: "public.jpeg")
        #expect(name.utf8.count <= 255 && name.hasSuffix("é.jpeg"))
    }

    // spec: P-072, P-160
    @Test func inPlaceIsTheFileItselfWhereItsOwnerLetsOthersWorkOnIt() async throws {
        try await withItemDirectory { directory in
            let file = directory.appendingPathComponent("a.txt")
            try Data("bytes".utf8).write(to: file)
            let open = try #require(NSItemProvider(contentsOf: file, contentType: .plainText, openInPlace: true))
            #expect(open.registeredTypeIdentifiers(fileOptions: .openInPlace) == ["public.plain-text"])
            #expect(open.registeredContentTypesForOpenInPlace == [.plainText])
            let closed = try #require(NSItemProvider(contentsOf: file))
            #expect(closed.registeredTypeIdentifiers(fileOptions: .openInPlace).isEmpty)
            for provider in [
                open, try #require(try sent([item(of: open)], table: ProviderTable()).first?.attachments?.first),
            ] {
                let lease = try await provider.loadInPlaceFileRepresentation(forTypeIdentifier: "public.text")
                #expect(lease.isInPlace && lease.url == file)
                lease.close()
                #expect(FileManager.default.fileExists(atPath: file.path))
            }
            let lease = try await closed.loadInPlaceFileRepresentation(forTypeIdentifier: "public.text")
            #expect(!lease.isInPlace && lease.url != file)
            #expect(try Data(contentsOf: lease.url) == Data("bytes".utf8))
            lease.close()
            lease.close()
            #expect(!FileManager.default.fileExists(atPath: lease.url.path))
        }
    }

    // spec: P-072
    @Test func withoutALeaseTheCopyStaysAsLongAsItsProvider() async throws {
        try await withItemDirectory { directory in
            let file = directory.appendingPathComponent("a.txt")
            try Data("bytes".utf8).write(to: file)
            func copied() async throws -> (URL, Bool) {
                let provider = try #require(NSItemProvider(contentsOf: file))
                let found: (URL, Bool) = try await withCheckedThrowingContinuation { continuation in
                    provider.loadInPlaceFileRepresentation(forTypeIdentifier: "public.text") { url, isInPlace, error in
                        continuation.resume(
                            with: url.map { .success(($0, isInPlace)) }
                                ?? .failure(error ?? CocoaError(.fileNoSuchFile)))
                    }
                }
                #expect(FileManager.default.fileExists(atPath: found.0.path))
                withExtendedLifetime(provider) {}
                return found
            }
            let (url, isInPlace) = try await copied()
            #expect(!isInPlace)
            let end = ContinuousClock.now + .seconds(60)
            while FileManager.default.fileExists(atPath: url.path), ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(2))
            }
            #expect(!FileManager.default.fileExists(atPath: url.path))
        }
    }

    @Test func aFileThatItsMakerRemovesAtOnceIsReadAllTheSame() async throws {
        try await withItemDirectory { directory in
            let provider = NSItemProvider()
            provider.registerFileRepresentation(for: .plainText) { answer in
                // Each in a folder of its own: one load's file may still be on its way out when the next one's is made.
                let folder = directory.appendingPathComponent(UUID().uuidString)
                try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                let file = folder.appendingPathComponent("short-lived.txt")
                try? Data("bytes".utf8).write(to: file)
                answer(file, false, nil)
                try? FileManager.default.removeItem(at: file)
                return nil
            }
            #expect(try await provider.loadDataRepresentation(for: .plainText) == Data("bytes".utf8))
            let name = try await provider.loadFileRepresentation(forTypeIdentifier: "public.text") {
                $0.lastPathComponent
            }
            #expect(name == "short-lived.txt")
            // Returned to a host, the bytes travel: the file may be gone with the extension.
            let back = try #require(try await returned([item(of: provider)]).first?.attachments?.first)
            #expect(try await back.loadDataRepresentation(for: .plainText) == Data("bytes".utf8))
        }
    }

    private func item(of provider: NSItemProvider) -> NSExtensionItem {
        let item = NSExtensionItem()
        item.attachments = [provider]
        return item
    }

    // MARK: Hostile owners

    /// Answers every load with what the test says.
    private struct Liar: ItemLoader {
        let answer: @Sendable () throws -> EncodedValue
        func load(
            _ question: LoadQuestion, progress: @escaping @Sendable (Int64, Int64) -> Void,
            completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
        ) -> @Sendable () -> Void {
            // Nonsense before the answer, and a second answer after it.
            progress(-5, 0)
            progress(.max, 1)
            completion(Result { try answer() })
            completion(Result { try answer() })
            return {}
        }
    }

    private func lyingProvider(_ answer: @escaping @Sendable () throws -> EncodedValue) throws -> NSItemProvider {
        let encoded = try encodeItems([item(of: provider())], into: ProviderTable())
        return try #require(try decodeItems(encoded, loader: Liar(answer: answer)).first?.attachments?.first)
    }

    private static let file: PropertyList = ["$kind": "file", "descriptor": 0, "name": "x"]
    private static let data: PropertyList = ["$kind": "data", "descriptor": 0]

    private func opened(_ path: String, _ flags: Int32) throws -> [SharedDescriptor] {
        let raw = Glibc.open(path, flags | O_CLOEXEC, 0o600)
        try #require(raw >= 0)
        return [SharedDescriptor(owning: raw)]
    }

    @Test func descriptorsThatAreNotWhatTheySayAreRefusedByName() async throws {
        try await withItemDirectory { directory in
            let path = directory.appendingPathComponent("plain").path
            let rows: [(PropertyList, [SharedDescriptor])] = [
                (Self.file, try opened(path, O_RDWR | O_CREAT)), (Self.file, try opened(path, O_WRONLY)),
                (Self.file, try opened("/dev/zero", O_RDONLY)), (Self.file, try opened(directory.path, O_RDONLY)),
                (Self.file, []),
                (Self.data, try opened(path, O_RDONLY)), (Self.data, try opened("/dev/zero", O_RDONLY)),
                (Self.data, []),
                (["$kind": "data", "descriptor": -1], []), (["$kind": "file"], []),
            ]
            for (plist, descriptors) in rows {
                let provider = try lyingProvider { EncodedValue(plist: plist, descriptors: descriptors) }
                await #expect(throws: ItemCodingError.self, "\(plist)") {
                    try await provider.loadFileRepresentation(forTypeIdentifier: "public.text") { _ in }
                }
                await #expect(throws: ItemCodingError.self) { try await provider.loadDataRepresentation(for: .text) }
                await #expect(throws: ItemCodingError.self) {
                    try await provider.loadItem(forTypeIdentifier: "public.text")
                }
            }
        }
    }

    @Test func memoryThatIsNotSealedIsRefused() async throws {
        // A memfd by its name in /proc is an ordinary one without seals.
        var sealed = try SealedMemory.make([1, 2, 3])
        let copy = "/proc/self/fd/\(sealed.raw)"
        #expect(throws: SystemError.self) { try openForWriting(copy) }
        sealed = try SealedMemory.make([UInt8](repeating: 1, count: 100_000))
        let good = SharedDescriptor(sealed)
        let provider = try lyingProvider { EncodedValue(plist: Self.data, descriptors: [good]) }
        let data = try await provider.loadDataRepresentation(for: .text)
        #expect(data.count == 100_000)
        // Two readers' pages are their own.
        var changed = data
        changed[0] = 9
        #expect(try await provider.loadDataRepresentation(for: .text)[0] == 1)
    }

    private func openForWriting(_ path: String) throws(SystemError) {
        let raw = Glibc.open(path, O_RDWR | O_CLOEXEC)
        guard raw >= 0 else { throw SystemError("open") }
        defer { Glibc.close(raw) }
        guard write(raw, "x", 1) == 1 else { throw SystemError("write") }
    }

    /// An extension's file of a tebibyte that takes no room is neither read into memory nor written out.
    @Test func aStrangersFileThatWasNeverWrittenIsRefusedWithItsSizes() async throws {
        try await withItemDirectory { directory in
            let path = directory.appendingPathComponent("sparse").path
            let writer = try opened(path, O_RDWR | O_CREAT)
            let reader = try opened(path, O_RDONLY)
            let provider = try lyingProvider { EncodedValue(plist: Self.file, descriptors: reader) }
            // The second is less than data may have.
            for size in [1 << 40, 1 << 30] {
                try #require(ftruncate(writer[0].raw, off_t(size)) == 0)
                await #expect {
                    try await provider.loadFileRepresentation(forTypeIdentifier: "public.text") { $0 }
                } throws: {
                    let text = $0.localizedDescription
                    return code(of: $0) == -1000 && text.contains("\(size) of the \(size) bytes")
                        && text.contains("in the extension")
                }
                await #expect { try await provider.loadDataRepresentation(for: .text) } throws: {
                    code(of: $0) == -1000
                }
            }
        }
    }

    @Test func aFileThatIsCutWhileItIsReadFailsAndCrashesNobody() async throws {
        try await withItemDirectory { directory in
            let path = directory.appendingPathComponent("shrinking").path
            let writer = try opened(path, O_RDWR | O_CREAT)
            try #require(ftruncate(writer[0].raw, 64 << 20) == 0)
            let reader = try opened(path, O_RDONLY)
            let answered = Mutex(false)
            let provider = try lyingProvider {
                answered.withLock { $0 = true }
                return EncodedValue(plist: Self.file, descriptors: reader)
            }
            // Cut between the look at its size and the copy, and again and again while that runs.
            let stop = Atomic(false)
            let cutter = Thread {
                while !stop.load(ordering: .relaxed) {
                    _ = ftruncate(writer[0].raw, 1000)
                    _ = ftruncate(writer[0].raw, 64 << 20)
                }
            }
            cutter.start()
            for _ in 0..<20 {
                do {
                    let size = try await provider.loadFileRepresentation(forTypeIdentifier: "public.text") { url in
                        try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
                    }
                    #expect(size == 64 << 20 || size == 1000)
                } catch {
                    #expect(code(of: error) == -1000)
                }
                _ = try? await provider.loadDataRepresentation(for: .text)
            }
            stop.store(true, ordering: .relaxed)
            while !cutter.isFinished { usleep(1000) }
        }
    }

    // spec: P-073
    @Test func cancellingStopsTheOwnersHandlerToo() async throws {
        let work = Progress(totalUnitCount: 10)
        let cancelled = Gate()
        work.cancellationHandler = { cancelled.open() }
        let started = Gate()
        let kept = Mutex<[@Sendable (URL?, Bool, (any Error)?) -> Void]>([])
        let owner = NSItemProvider()
        owner.registerFileRepresentation(for: .plainText) { answer in
            kept.withLock { $0.append(answer) }
            started.open()
            return work
        }
        let remote = try #require(try sent([item(of: owner)], table: ProviderTable()).first?.attachments?.first)
        let ended = Gate()
        let error = Mutex<(any Error)?>(nil)
        let progress = remote.loadFileRepresentation(forTypeIdentifier: "public.text") { url, problem in
            #expect(url == nil)
            error.withLock { $0 = problem }
            ended.open()
        }
        await started.passed()
        progress.cancel()
        await ended.passed()
        #expect((error.withLock { $0 } as? CocoaError)?.code == .userCancelled)
        // The handler may still have been on its way back with it when the load ended.
        await cancelled.passed()
        kept.withLock { $0 = [] }
    }

    // spec: P-073, P-161
    @Test func theProgressOfTheOwnersHandlerIsSeenByTheReader() async throws {
        let work = Progress(totalUnitCount: 8)
        let kept = Mutex<[@Sendable (Data?, (any Error)?) -> Void]>([])
        let started = Gate()
        let owner = NSItemProvider()
        owner.registerDataRepresentation(for: .plainText) { answer in
            kept.withLock { $0.append(answer) }
            started.open()
            return work
        }
        let remote = try #require(try sent([item(of: owner)], table: ProviderTable()).first?.attachments?.first)
        let ended = Gate()
        let progress = remote.loadDataRepresentation(for: .plainText) { data, _ in
            #expect(data == Data([1]))
            ended.open()
        }
        await started.passed()
        for step in [Int64(2), 6] {
            work.completedUnitCount = step
            let end = ContinuousClock.now + .seconds(60)
            while progress.completedUnitCount != step || progress.totalUnitCount != 8, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(progress.completedUnitCount == step && progress.totalUnitCount == 8)
        }
        kept.withLock { $0.first }?(Data([1]), nil)
        await ended.passed()
        #expect(progress.isFinished)
        kept.withLock { $0 = [] }
    }
}

/// Something that happens once and is waited for.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    init() { (stream, continuation) = AsyncStream.makeStream() }
    func open() { continuation.finish() }
    func passed() async { for await _ in stream {} }
}
