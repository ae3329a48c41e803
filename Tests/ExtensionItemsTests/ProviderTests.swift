// ProviderTests: what a provider offers, which representation a load takes, and how a load ends.

import Dispatch
import ExtensionItems
import Foundation
import Locks
import Testing

/// The code of a provider's own error.
func code(of error: (any Error)?) -> Int? {
    guard let error = error as NSError?, error.domain == NSItemProvider.errorDomain else { return nil }
    return error.code
}

/// A provider whose handlers answer with the type's own name.
func provider(of types: String...) -> NSItemProvider {
    let provider = NSItemProvider()
    for type in types {
        provider.registerItem(forTypeIdentifier: type) { answer, _, _ in answer?(type as NSString, nil) }
    }
    return provider
}

func loadedText(_ provider: NSItemProvider, _ type: String) async throws -> String? {
    try await provider.loadItem(forTypeIdentifier: type) as? String
}

@Suite struct ProviderTests {
    // spec: P-060, B1
    @Test func typesKeepTheOrderOfRegistration() async throws {
        let provider = provider(of: "public.png", "public.jpeg", "org.example.note")
        #expect(provider.registeredTypeIdentifiers == ["public.png", "public.jpeg", "org.example.note"])
        provider.registerItem(forTypeIdentifier: "public.png") { answer, _, _ in answer?("new" as NSString, nil) }
        #expect(
            provider.registeredTypeIdentifiers.first == "public.png" && provider.registeredTypeIdentifiers.count == 3)
        #expect(try await loadedText(provider, "public.png") == "new")
    }

    // spec: P-061, P-062, B2, B3
    @Test(arguments: [
        ("public.jpeg", "public.jpeg", true), ("public.jpeg", "public.image", true),
        ("public.jpeg", "public.data", true),
        ("public.image", "public.jpeg", false), ("org.example.x", "org.example.x", true),
        ("org.example.x", "public.data", false),
    ])
    func conformanceIsAskedUpwardsOnly(_ registered: String, _ asked: String, _ expected: Bool) async {
        let provider = provider(of: registered)
        #expect(provider.hasItemConformingToTypeIdentifier(asked) == expected)
        #expect(provider.hasRepresentationConforming(toTypeIdentifier: asked, fileOptions: []) == expected)
        #expect(!provider.hasRepresentationConforming(toTypeIdentifier: asked, fileOptions: .openInPlace))
        if !expected {
            await #expect { try await provider.loadItem(forTypeIdentifier: asked) } throws: { code(of: $0) == -1000 }
        }
    }

    // spec: P-063, B2
    @Test func theExactTypeComesBeforeTheFirstThatConforms() async throws {
        let provider = provider(of: "public.png", "public.jpeg", "public.image")
        #expect(try await loadedText(provider, "public.image") == "public.image")
        #expect(try await loadedText(provider, "public.data") == "public.png")
        #expect(try await loadedText(provider, "public.jpeg") == "public.jpeg")
    }

    // spec: B7
    @Test func nothingIsMadeBeforeItIsAskedFor() async throws {
        let count = Atomic(0)
        let provider = NSItemProvider()
        let counting: NSItemProvider.LoadHandler = { answer, _, _ in
            count.add(1, ordering: .relaxed)
            answer?("made" as NSString, nil)
        }
        provider.registerItem(forTypeIdentifier: "public.text", loadHandler: counting)
        #expect(provider.hasItemConformingToTypeIdentifier("public.text"))
        #expect(count.load(ordering: .relaxed) == 0)
        _ = try await provider.loadItem(forTypeIdentifier: "public.text")
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test func aSecondAnswerIsNotHeard() async throws {
        let provider = NSItemProvider()
        provider.registerItem(forTypeIdentifier: "public.text") { answer, _, _ in
            answer?("first" as NSString, nil)
            answer?("second" as NSString, nil)
            answer?(nil, CocoaError(.fileNoSuchFile))
        }
        let calls = Atomic(0)
        let text: String? = await withCheckedContinuation { continuation in
            provider.loadItem(forTypeIdentifier: "public.text") { value, _ in
                calls.add(1, ordering: .relaxed)
                continuation.resume(returning: value as? String)
            }
        }
        #expect(text == "first")
        // Another load runs through the same queue behind it; a second call would have come by now.
        _ = try await provider.loadItem(forTypeIdentifier: "public.text")
        #expect(calls.load(ordering: .relaxed) == 1)
    }

    // spec: P-080
    @Test func aHandlerWithNeitherValueNorErrorFailsAsUnknown() async {
        let provider = NSItemProvider()
        provider.registerItem(forTypeIdentifier: "public.text") { answer, _, _ in answer?(nil, nil) }
        await #expect { try await provider.loadItem(forTypeIdentifier: "public.text") } throws: { code(of: $0) == -1 }
    }

    @Test func aHandlersOwnErrorArrivesAsItIs() async {
        let provider = NSItemProvider()
        provider.registerItem(forTypeIdentifier: "public.text") { answer, _, _ in
            answer?("x" as NSString, CocoaError(.fileNoSuchFile))
        }
        await #expect { try await provider.loadItem(forTypeIdentifier: "public.text") } throws: {
            ($0 as? CocoaError)?.code == .fileNoSuchFile
        }
    }

    // spec: P-079
    @Test func aHandlerThatForgetsToAnswerFailsTheLoad() async {
        let provider = NSItemProvider()
        provider.registerItem(forTypeIdentifier: "public.text") { _, _, _ in }
        await #expect { try await provider.loadItem(forTypeIdentifier: "public.text") } throws: {
            code(of: $0) == -1000
        }
    }

    // spec: P-066
    @Test func loadsRunAtTheSameTime() async throws {
        let provider = NSItemProvider()
        let first = DispatchSemaphore(value: 0)
        provider.registerItem(forTypeIdentifier: "public.text") { answer, _, _ in
            first.wait()  // until the other load has run
            answer?("text" as NSString, nil)
        }
        provider.registerItem(forTypeIdentifier: "public.url") { answer, _, _ in
            first.signal()
            answer?(URL(fileURLWithPath: "/") as NSURL, nil)
        }
        async let text = loadedText(provider, "public.text")
        async let url = provider.loadItem(forTypeIdentifier: "public.url", as: URL.self)
        #expect(try await text == "text")
        #expect(try await url.path == "/")
    }

    @Test func aPresentItemHasItsValueAndItsOwnType() async throws {
        #expect(
            try await loadedText(NSItemProvider(item: "x" as NSString, typeIdentifier: "public.text"), "public.text")
                == "x")
        let cases: [(any NSSecureCoding, String)] = [
            (URL(fileURLWithPath: "/x") as NSURL, "public.file-url"), ("x" as NSString, "public.plain-text"),
            (NSData(), "public.data"), (NSDictionary(), "com.apple.property-list"), (NSNumber(value: 1), "public.data"),
        ]
        for (item, type) in cases {
            #expect(NSItemProvider(item: item, typeIdentifier: nil).registeredTypeIdentifiers == [type])
        }
        #expect(NSItemProvider(item: nil, typeIdentifier: nil).registeredTypeIdentifiers.isEmpty)
        #expect(
            try await NSItemProvider(item: nil, typeIdentifier: "public.text").loadItem(
                forTypeIdentifier: "public.text") == nil)
    }

    @Test func aCopyOffersTheSameAndChangesAlone() async throws {
        let provider = provider(of: "public.text")
        provider.suggestedName = "name"
        let copy = try #require(provider.copy() as? NSItemProvider)
        copy.suggestedName = "other"
        copy.registerItem(forTypeIdentifier: "public.url") { answer, _, _ in answer?(nil, nil) }
        #expect(provider.suggestedName == "name" && provider.registeredTypeIdentifiers == ["public.text"])
        #expect(try await loadedText(copy, "public.text") == "public.text")
    }

    // spec: P-080
    @Test func errorsSayWhatHappened() {
        #expect(NSItemProvider.errorDomain == "NSItemProviderErrorDomain")
        #expect(NSItemProvider.ErrorCode.allCases.map(\.rawValue) == [-1, -1000, -1100, -1200])
        for code in NSItemProvider.ErrorCode.allCases {
            let error = NSItemProvider.error(code, "Because.", underlying: CocoaError(.fileNoSuchFile))
            #expect(error.code == code.rawValue && error.localizedDescription.hasSuffix(" Because."))
            #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == CocoaError.fileNoSuchFile.rawValue)
        }
    }
}

@Suite struct DataLoadTests {
    // spec: P-070
    @Test func dataRepresentationsLoadAsDataAndAsItems() async throws {
        let provider = NSItemProvider()
        provider.registerDataRepresentation(forTypeIdentifier: "public.png", visibility: .all) { answer in
            answer(Data([1, 2]), nil)
            return nil
        }
        #expect(try await data(provider, "public.image") == Data([1, 2]))
        #expect(try await provider.loadItem(forTypeIdentifier: "public.png") as? Data == Data([1, 2]))
    }

    @Test func textAndURLsAndPropertyListsHaveBytes() async throws {
        let url = try #require(URL(string: "https://example.org/"))
        #expect(
            try await data(NSItemProvider(item: "é" as NSString, typeIdentifier: "public.text"), "public.text")
                == Data("é".utf8))
        #expect(
            try await data(NSItemProvider(item: url as NSURL, typeIdentifier: "public.url"), "public.url")
                == Data("https://example.org/".utf8))
        let list = NSItemProvider(item: ["a": 1] as NSDictionary, typeIdentifier: "com.apple.property-list")
        #expect(try await data(list, "public.data").starts(with: Data("bplist00".utf8)))
    }

    /// As authors pass on what they were given, whose type is `Any` here.
    @Test func whatALoadHandedOverMakesAnotherProvider() async throws {
        let given: [(Any?, type: String)] = [
            (URL(string: "https://example.org/"), "public.url"), (URL(fileURLWithPath: "/tmp"), "public.file-url"),
            ("é", "public.plain-text"), (Data([1, 2]), "public.data"),
            (["a": [1, 2]] as [String: Any], "com.apple.property-list"),
            ([1, 2] as [Any], "com.apple.property-list"),
        ]
        for (value, type) in given {
            let first = NSItemProvider(item: value, typeIdentifier: nil)
            #expect(first.registeredTypeIdentifiers == [type])
            let handed: Any? = try await first.loadItem(forTypeIdentifier: type)
            let second = NSItemProvider(item: handed, typeIdentifier: type)
            let again: Any? = try await second.loadItem(forTypeIdentifier: type)
            #expect("\(again ?? "nothing")" == "\(handed ?? "nothing")" && again != nil)
        }
        #expect(NSItemProvider(item: nil, typeIdentifier: nil).registeredTypeIdentifiers.isEmpty)
    }

    @Test func aFilesAddressMayBeMissing() {
        #expect(NSItemProvider(contentsOf: URL(string: "")) == nil)
        #expect(NSItemProvider(contentsOf: Bundle.main.url(forResource: "nothing", withExtension: "json")) == nil)
    }

    // spec: B4, B5
    @Test func whatHasNoBytesIsRefused() async {
        let number = NSItemProvider(item: NSNumber(value: 1), typeIdentifier: "public.data")
        await #expect { try await self.data(number, "public.data") } throws: { code(of: $0) == -1200 }
        let handled = NSItemProvider()
        handled.registerItem(forTypeIdentifier: "public.data") { answer, expected, _ in
            answer?(expected == NSData.self ? NSNumber(value: 1) : nil, nil)
        }
        await #expect { try await self.data(handled, "public.data") } throws: { code(of: $0) == -1100 }
        await #expect { try await self.data(handled, "public.text") } throws: { code(of: $0) == -1000 }
    }

    // spec: P-073
    @Test func cancellingTheProgressEndsTheLoadAndItsWork() async {
        let provider = NSItemProvider()
        let work = Progress(totalUnitCount: 1)
        let kept = Mutex<[@Sendable (Data?, (any Error)?) -> Void]>([])
        let (started, hasStarted) = AsyncStream.makeStream(of: Void.self)
        provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { answer in
            kept.withLock { $0.append(answer) }  // never answers, and does not forget either
            hasStarted.finish()
            return work
        }
        let (ended, hasEnded) = AsyncStream.makeStream(of: (any Error)?.self)
        let progress = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { _, error in
            hasEnded.yield(error)
            hasEnded.finish()
        }
        for await _ in started {}
        progress.cancel()
        for await error in ended { #expect((error as? CocoaError)?.code == .userCancelled) }
        #expect(progress.isCancelled)
        kept.withLock { $0 = [] }
    }

    // spec: P-073
    @Test func whatIsMadeOfAValueAfterTheLoadWasCancelledNobodyGets() async {
        let provider = NSItemProvider(item: NSData(data: Data([1])), typeIdentifier: "public.data")
        let (ended, hasEnded) = AsyncStream.makeStream(of: (any Error)?.self)
        let progress = provider.loadObject(ofClass: SlowObject.self) { object, error in
            #expect(object == nil)
            hasEnded.yield(error)
            hasEnded.finish()
        }
        await SlowObject.begun.passed()
        progress.cancel()
        SlowObject.mayEnd.signal()
        for await error in ended { #expect((error as? CocoaError)?.code == .userCancelled) }
    }

    @Test func cancellingTheTaskEndsTheLoad() async {
        let provider = NSItemProvider()
        let kept = Mutex<[NSItemProvider.CompletionHandler?]>([])
        let (started, hasStarted) = AsyncStream.makeStream(of: Void.self)
        provider.registerItem(forTypeIdentifier: "public.data") { answer, _, _ in
            kept.withLock { $0.append(answer) }
            hasStarted.finish()
        }
        let task = Task { try await provider.loadItem(forTypeIdentifier: "public.data", as: Data.self) }
        for await _ in started {}
        task.cancel()
        await #expect { try await task.value } throws: { ($0 as? CocoaError)?.code == .userCancelled }
        kept.withLock { $0 = [] }
    }

    private func data(_ provider: NSItemProvider, _ type: String) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            provider.loadDataRepresentation(forTypeIdentifier: type) { data, error in
                continuation.resume(
                    with: data.map { .success($0) } ?? .failure(error ?? CocoaError(.coderInvalidValue)))
            }
        }
    }
}

/// Takes its time to be made; of one test alone.
private final class SlowObject: NSObject, NSItemProviderReading {
    static let begun = Gate()
    static let mayEnd = DispatchSemaphore(value: 0)
    static var readableTypeIdentifiersForItemProvider: [String] { ["public.data"] }

    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> SlowObject {
        begun.open()
        mayEnd.wait()
        return SlowObject()
    }
}

@Suite struct FileProviderTests {
    // spec: P-064
    @Test func aFileIsOfferedByItsTypeAndAsItsURL() async throws {
        try await withDirectory { directory in
            for (name, type) in [("a.pdf", "com.adobe.pdf"), ("b.unknown-kind", "public.data"), ("c", "public.data")] {
                let file = directory.appendingPathComponent(name)
                try Data(name.utf8).write(to: file)
                let provider = try #require(NSItemProvider(contentsOf: file))
                #expect(provider.registeredTypeIdentifiers == [type, "public.file-url"])
                #expect(provider.suggestedName == name)
                #expect(try await provider.loadItem(forTypeIdentifier: type) as? URL == file)
                #expect(try await provider.loadItem(forTypeIdentifier: type, as: Data.self) == Data(name.utf8))
                let bytes = try await withCheckedThrowingContinuation { continuation in
                    provider.loadDataRepresentation(forTypeIdentifier: type) { data, error in
                        continuation.resume(
                            with: data.map { .success($0) } ?? .failure(error ?? CocoaError(.fileNoSuchFile)))
                    }
                }
                #expect(bytes == Data(name.utf8))
            }
            #expect(
                NSItemProvider(contentsOf: directory)?.registeredTypeIdentifiers == [
                    "public.folder", "public.file-url",
                ])
        }
    }

    // spec: P-064
    @Test func whatIsNoFileIsNoProvider() throws {
        #expect(NSItemProvider(contentsOf: URL(fileURLWithPath: "/nothing/here")) == nil)
        #expect(NSItemProvider(contentsOf: URL(string: "https://example.org/a.pdf")) == nil)
    }

    @Test func aFileThatIsGoneOrHasNoBytesIsUnavailable() async throws {
        try await withDirectory { directory in
            let file = directory.appendingPathComponent("a.txt")
            try Data().write(to: file)
            let provider = try #require(NSItemProvider(contentsOf: file))
            try FileManager.default.removeItem(at: file)
            await #expect { try await provider.loadItem(forTypeIdentifier: "public.text", as: Data.self) } throws: {
                code(of: $0) == -1000 && "\($0)".contains("a.txt")
            }
            let folder = try #require(NSItemProvider(contentsOf: directory))
            await #expect { try await folder.loadItem(forTypeIdentifier: "public.folder", as: Data.self) } throws: {
                code(of: $0) == -1000
            }
            let device = try #require(NSItemProvider(contentsOf: URL(fileURLWithPath: "/dev/zero")))
            await #expect { try await device.loadItem(forTypeIdentifier: "public.data", as: Data.self) } throws: {
                code(of: $0) == -1000
            }
        }
    }

    private func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("items-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }
}
