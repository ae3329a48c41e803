// ReturnedItemTests: what an extension gives back, and lazy loads across the wire.

import ExtensionItems
import Foundation
import Glibc
import LinuxSystem
import PropertyListCoding
import Synchronization
import Testing
import UniformTypeIdentifiers

@Suite struct ReturnedItemTests {
    // spec: P-019
    @Test func aProviderThatCameFromTheHostIsTheHostsObjectAgain() async throws {
        let original = provider(of: "public.text")
        let item = NSExtensionItem()
        item.attachments = [original]
        let table = ProviderTable()
        let arrived = try sent([item], table: table)
        let copied = try #require(arrived.first?.copy() as? NSExtensionItem)
        let copiedProvider = try #require(arrived.first?.attachments?.first?.copy() as? NSItemProvider)
        copied.attachments?.append(copiedProvider)
        let back = try #require(try await returned(arrived + [copied], table: table).last?.attachments)
        #expect(back.count == 2)
        #expect(back.allSatisfy { $0 === original })
    }

    // not simulated: N-026
    @Test func aPreviewOfWhatAnExtensionReturnedIsNotSimulated() async throws {
        let own = provider(of: "public.text")
        own.previewImageHandler = { answer, _, _ in answer?(Data([1]) as NSData, nil) }
        let back = try #require(try await returned([item(of: own)], table: ProviderTable()).first?.attachments?.first)
        #expect(try await loadedText(back, "public.text") == "public.text")
        // notSimulated
        await #expect { try await back.loadPreviewImage() } throws: {
            ($0 as NSError).code == 11 && "\($0)".contains("do not come with")
        }
        // One that its receiver gives it is its own.
        back.previewImageHandler = { answer, _, _ in answer?(Data([2]) as NSData, nil) }
        #expect(try await back.loadPreviewImage() as? Data == Data([2]))
    }

    /// A process keeps what it likes from one request to the next.
    @Test func aProviderOfAnotherRequestIsNotTakenForThisOnesOfThatNumber() async throws {
        let (one, other) = (provider(of: "public.text"), provider(of: "public.url"))
        let (oneTable, otherTable) = (ProviderTable(), ProviderTable())
        let kept = try #require(try sent([item(of: one)], table: oneTable, of: "one").first)
        let arrived = try #require(try sent([item(of: other)], table: otherTable, of: "other").first)
        let back = try await returned([kept, arrived], table: otherTable, to: "other").compactMap { $0.attachments?.first }
        #expect(back.count == 2 && back.last === other)
        let first = try #require(back.first)
        #expect(first !== other && first.registeredTypeIdentifiers == ["public.text"])
        #expect(try await loadedText(first, "public.text") == "public.text")
        // Of a request that has ended there is nothing to be had any more.
        oneTable.removeAll()
        let late = try #require(try await returned([kept], table: otherTable, to: "other").first?.attachments?.first)
        await #expect { try await late.loadItem(forTypeIdentifier: "public.text") } throws: { code(of: $0) == -1000 }
        // In an error, too.
        let error = NSError(domain: "d", code: 1, userInfo: [NSExtensionItemsAndErrorsKey: [kept: CocoaError(.fileNoSuchFile)]])
        let read = decodeError(encodeError(error, to: "other"), table: otherTable)
        let pairs = try #require(read.userInfo[NSExtensionItemsAndErrorsKey] as? [NSExtensionItem: NSError])
        #expect(pairs.keys.first?.attachments?.first?.registeredTypeIdentifiers == ["public.text"])
    }

    @Test func aProviderChangedByTheExtensionIsItsOwnAndBringsBothValues() async throws {
        let item = NSExtensionItem()
        item.attachments = [provider(of: "public.text")]
        let table = ProviderTable()
        let arrived = try sent([item], table: table)
        arrived.first?.attachments?.first?.registerItem(forTypeIdentifier: "public.url") { answer, _, _ in
            answer?(URL(fileURLWithPath: "/new"), nil)
        }
        let back = try #require(try await returned(arrived, table: table).first?.attachments?.first)
        table.removeAll()
        #expect(back !== item.attachments?.first)
        #expect(back.registeredTypeIdentifiers == ["public.text", "public.url"])
        #expect(try await loadedText(back, "public.text") == "public.text")
        #expect(try await back.loadItem(forTypeIdentifier: "public.url", as: URL.self).path == "/new")
    }

    // spec: P-076
    @Test func ownProvidersTravelWithTheirValuesAndErrors() async throws {
        let own = NSItemProvider(item: ["a": [1, 2.5, true]] as NSDictionary, typeIdentifier: "com.apple.property-list")
        own.suggestedName = "list"
        own.registerItem(forTypeIdentifier: "public.text") { answer, _, _ in answer?(nil, CocoaError(.fileNoSuchFile)) }
        own.registerItem(forTypeIdentifier: "org.example.object") { answer, _, _ in answer?(NSObject(), nil) }
        own.registerDataRepresentation(forTypeIdentifier: "org.example.data", visibility: .all) { answer in
            answer(Data([7]), nil)
            return nil
        }
        own.registerDataRepresentation(forTypeIdentifier: "org.example.secret", visibility: .ownProcess) { answer in
            answer(Data([8]), nil)
            return nil
        }
        let item = NSExtensionItem()
        item.attachments = [own, own]
        item.userInfo?["nested"] = [own]
        let back = try #require(try await returned([item]).first)
        let provider = try #require(back.attachments?.last)
        #expect((back.userInfo?["nested"] as? [NSItemProvider])?.count == 1)
        #expect(provider.suggestedName == "list")
        #expect(
            provider.registeredTypeIdentifiers == [
                "com.apple.property-list", "public.text", "org.example.object", "org.example.data",
            ])
        let list = try await provider.loadItem(forTypeIdentifier: "com.apple.property-list", as: [String: Any].self)
        #expect(same(list, ["a": [1, 2.5, true]] as [String: Any]))
        #expect(try await provider.loadItem(forTypeIdentifier: "org.example.data", as: Data.self) == Data([7]))
        await #expect { try await provider.loadItem(forTypeIdentifier: "public.text") } throws: {
            ($0 as NSError).domain == NSCocoaErrorDomain && ($0 as NSError).code == CocoaError.fileNoSuchFile.rawValue
        }
        await #expect { try await provider.loadItem(forTypeIdentifier: "org.example.object") } throws: { code(of: $0) == -1100 }
    }

    @Test func aFileIsReturnedWithItsBytesWhateverBecomesOfItsName() async throws {
        try await withItemDirectory { directory in
            let file = directory.appendingPathComponent("result.txt")
            try Data("bytes".utf8).write(to: file)
            let own = try #require(NSItemProvider(contentsOf: file))
            let back = try #require(try await returned([item(of: own)]).first?.attachments?.first)
            try FileManager.default.removeItem(at: file)
            try Data("another's".utf8).write(to: file)
            #expect(back.registeredTypeIdentifiers == ["public.plain-text", "public.file-url"])
            #expect(try await back.loadItem(forTypeIdentifier: "public.text") as? URL == file)
            #expect(try await back.loadItem(forTypeIdentifier: "public.file-url", as: String.self) == file.absoluteString)
            let again = try #require(try sent([item(of: back)], table: ProviderTable()).first?.attachments?.first)
            for provider in [back, again] {
                #expect(try await provider.loadItem(forTypeIdentifier: "public.file-url", as: URL.self) == file)
                #expect(try await provider.loadDataRepresentation(for: .plainText) == Data("bytes".utf8))
                let copied = try await provider.loadFileRepresentation(forTypeIdentifier: "public.file-url") { url in
                    #expect(url != file && url.lastPathComponent == "result.txt")
                    return try Data(contentsOf: url)
                }
                #expect(copied == Data("bytes".utf8))
                let lease = try await provider.loadInPlaceFileRepresentation(forTypeIdentifier: "public.text")
                #expect(!lease.isInPlace)
                #expect(try Data(contentsOf: lease.url) == Data("bytes".utf8))
            }
            #expect(try await back.loadItem(forTypeIdentifier: "public.text", as: Data.self) == Data("bytes".utf8))
            #expect(try await back.loadItem(forTypeIdentifier: "public.text", as: ItemImage.self).data == Data("bytes".utf8))
            let wrapper = try await back.loadItem(forTypeIdentifier: "public.text", as: FileWrapper.self)
            #expect(wrapper.regularFileContents == Data("bytes".utf8) && wrapper.filename == "result.txt")
            await #expect { try await back.loadItem(forTypeIdentifier: "public.text", as: [String: Any].self) } throws: {
                code(of: $0) == -1200
            }
        }
    }

    @Test func filesTakeThePlacesThatDataLeaves() async throws {
        try await withItemDirectory { directory in
            let files = try (0..<20).map { number in
                let file = directory.appendingPathComponent("\(number).txt")
                try Data("\(number)".utf8).write(to: file)
                return try #require(NSItemProvider(contentsOf: file))
            }
            let data = (0..<5).map { number in
                NSItemProvider(item: NSData(data: Data(repeating: UInt8(number), count: 50_000)), typeIdentifier: "public.data")
            }
            let item = NSExtensionItem()
            item.attachments = files + data
            let encoded = try await withCheckedThrowingContinuation { continuation in
                encodeReturnedItems([item]) { continuation.resume(with: $0) }
            }
            #expect(encoded.descriptors.count == 15)
            #expect(try encoded.plist.encodeBinary().count < 50_000, "all data is beside the list")
            let back = try #require(try decodeReturnedItems(encoded, table: ProviderTable()).first?.attachments)
            for (number, provider) in back.prefix(20).enumerated() {
                #expect(try await provider.loadDataRepresentation(for: .plainText) == Data("\(number)".utf8))
            }
            for (number, provider) in back.dropFirst(20).enumerated() {
                #expect(try await provider.loadDataRepresentation(for: .data) == Data(repeating: UInt8(number), count: 50_000))
            }
        }
    }

    private func encoded(_ attachments: [NSItemProvider]) async throws -> EncodedValue {
        let item = NSExtensionItem()
        item.attachments = attachments
        return try await withCheckedThrowingContinuation { continuation in
            encodeReturnedItems([item]) { continuation.resume(with: $0) }
        }
    }

    @Test func filesAreReadHoweverManyThereAreAndHoweverMuchDataBesideThem() async throws {
        try await withItemDirectory { directory in
            var files: [NSItemProvider] = []
            for number in 0..<40 {
                let file = directory.appendingPathComponent("\(number).txt")
                // The last is the largest, and the first has nothing in it.
                try Data(repeating: UInt8(number), count: number == 39 ? 1_000_000 : number * 10).write(to: file)
                files.append(try #require(NSItemProvider(contentsOf: file)))
            }
            let data = (0..<20).map { number in
                NSItemProvider(item: NSData(data: Data(repeating: UInt8(number), count: 50_000)), typeIdentifier: "public.data")
            }
            let encoded = try await encoded(files + data)
            #expect(encoded.descriptors.count == 15)
            let back = try #require(try decodeReturnedItems(encoded, table: ProviderTable()).first?.attachments)
            try FileManager.default.removeItem(at: directory.appendingPathComponent("7.txt"))
            for (number, provider) in back.prefix(40).enumerated() {
                let expected = Data(repeating: UInt8(number), count: number == 39 ? 1_000_000 : number * 10)
                #expect(try await provider.loadDataRepresentation(for: .plainText) == expected)
                #expect(try await provider.loadItem(forTypeIdentifier: "public.plain-text", as: Data.self) == expected)
                #expect(
                    try await provider.loadItem(forTypeIdentifier: "public.file-url", as: URL.self).lastPathComponent
                        == "\(number).txt")
                let copied = try await provider.loadFileRepresentation(forTypeIdentifier: "public.plain-text") { url in
                    #expect(url.lastPathComponent == "\(number).txt")
                    return try Data(contentsOf: url)
                }
                #expect(copied == expected)
                let wrapper = try await provider.loadItem(forTypeIdentifier: "public.plain-text", as: FileWrapper.self)
                #expect(wrapper.regularFileContents == expected)
            }
            for (number, provider) in back.dropFirst(40).enumerated() {
                #expect(try await provider.loadDataRepresentation(for: .data) == Data(repeating: UInt8(number), count: 50_000))
            }
            // Given on to another extension they are files still.
            let again = try #require(try sent([item(of: back[7])], table: ProviderTable()).first?.attachments?.first)
            #expect(try await again.loadDataRepresentation(for: .plainText) == Data(repeating: 7, count: 70))
        }
    }

    @Test func theLargestFilesPassOpenAndTheBytesOfOthersAreBounded() async throws {
        try await withItemDirectory { directory in
            let size = 5 << 20
            let files = try (0..<30).map { number in
                let file = directory.appendingPathComponent("\(number).txt")
                try Data().write(to: file)
                #expect(truncate(file.path, off_t(size + number)) == 0)
                return try #require(NSItemProvider(contentsOf: file))
            }
            let encoded = try await encoded(files)
            #expect(encoded.descriptors.count == 15)
            let back = try #require(try decodeReturnedItems(encoded, table: ProviderTable()).first?.attachments)
            var read: [Int] = []
            for (number, provider) in back.enumerated() {
                guard let data = try? await provider.loadDataRepresentation(for: .plainText) else {
                    await refuses("\(number)") { try await provider.loadDataRepresentation(for: .plainText) }
                    continue
                }
                #expect(data.count == size + number)
                read.append(number)
            }
            // Of the sixteen smallest twelve are 64 MiB; fourteen pass open.
            #expect(read == Array(0..<12) + Array(16..<30))
        }
    }

    @Test func bytesThatAreNotThereAreRefused() throws {
        let memory = SharedDescriptor(try SealedMemory.make([1, 2, 3]))
        let raw = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
        try #require(raw >= 0)
        let file = SharedDescriptor(owning: raw)
        let url: PropertyList = ["$kind": "url", "string": "file:///x"]
        func back(_ value: PropertyList, _ bytes: PropertyList, _ descriptor: SharedDescriptor) throws -> [NSExtensionItem] {
            let provider: PropertyList = [
                "$kind": "loadedProvider", "representations": [["type": "public.data", "value": value, "bytes": bytes]],
            ]
            let plist: PropertyList = [["$kind": "item", "userInfo": ["NSExtensionItemAttachmentsKey": [provider]]]]
            return try decodeReturnedItems(EncodedValue(plist: plist, descriptors: [descriptor]), table: ProviderTable())
        }
        for (offset, length) in [(-1, 1), (0, -1), (0, 4), (4, 0), (3, 1), (.max, 1), (1, .max), (.min, .max)] as [(Int64, Int64)]
        {
            #expect(throws: ItemCodingError.self, "\(offset) \(length)") {
                try back(url, ["descriptor": 0, "offset": .integer(offset), "length": .integer(length)], memory)
            }
        }
        let all: PropertyList = ["descriptor": 0, "offset": 0, "length": 3]
        #expect(try back(url, all, memory).count == 1)
        let strange: [PropertyList] = [
            "x", ["offset": 0, "length": 0], ["descriptor": 1, "offset": 0, "length": 0], ["descriptor": 0, "length": 0],
            ["descriptor": 0, "offset": 0], ["descriptor": "0", "offset": 0, "length": 0],
        ]
        #expect(throws: ItemCodingError.self, "no URL") { try back("x", all, memory) }
        #expect(throws: ItemCodingError.self, "not in memory") { try back(url, all, file) }
        for bytes in strange {
            #expect(throws: ItemCodingError.self, "\(bytes)") { try back(url, bytes, memory) }
        }
    }

    /// A confined extension could name any file of the host's user.
    @Test func aFileThatWasReturnedByItsNameAloneIsNotRead() async throws {
        try await withItemDirectory { directory in
            let secret = directory.appendingPathComponent("secret.txt")
            try Data("secret".utf8).write(to: secret)
            let url: PropertyList = ["$kind": "url", "string": .string(secret.absoluteString)]
            let representations: PropertyList = [
                ["type": "public.plain-text", "value": url], ["type": "public.file-url", "value": url],
            ]
            let provider: PropertyList = ["$kind": "loadedProvider", "representations": representations]
            let plist: PropertyList = [["$kind": "item", "userInfo": ["NSExtensionItemAttachmentsKey": [provider]]]]
            let returned = try decodeReturnedItems(EncodedValue(plist: plist, descriptors: []), table: ProviderTable())
            let back = try #require(returned.first?.attachments?.first)
            // Given on to another extension it is no more.
            let again = try #require(try sent([item(of: back)], table: ProviderTable()).first?.attachments?.first)
            for provider in [back, again] {
                await refuses("data") { try await provider.loadDataRepresentation(for: .plainText) }
                await refuses("file") {
                    try await provider.loadFileRepresentation(forTypeIdentifier: "public.plain-text") { _ in }
                }
                await refuses("URL's file") {
                    try await provider.loadFileRepresentation(forTypeIdentifier: "public.file-url") { _ in }
                }
                await refuses("place") {
                    try await provider.loadInPlaceFileRepresentation(forTypeIdentifier: "public.plain-text")
                }
                // The name itself is nobody's secret.
                #expect(try await provider.loadItem(forTypeIdentifier: "public.file-url", as: URL.self) == secret)
            }
            await refuses("Data") { try await back.loadItem(forTypeIdentifier: "public.plain-text", as: Data.self) }
            await refuses("image") { try await back.loadItem(forTypeIdentifier: "public.plain-text", as: ItemImage.self) }
            await refuses("wrapper") { try await back.loadItem(forTypeIdentifier: "public.plain-text", as: FileWrapper.self) }
            await refuses("preview", "preview") { try await back.loadPreviewImage() }
        }
    }

    private func refuses(_ what: String, _ reason: String = "by its name alone", _ load: () async throws -> Any) async {
        do {
            _ = try await load()
            Issue.record("\(what) was read")
        } catch {
            let error = error as NSError
            #expect(error.code == -1000 && error.localizedDescription.contains(reason), "\(what): \(error)")
        }
    }

    @Test func aReturnedFileThatIsNoneIsRefused() throws {
        let raw = open("/dev/zero", O_RDONLY | O_CLOEXEC)
        try #require(raw >= 0)
        let device = SharedDescriptor(owning: raw)
        let url: PropertyList = ["$kind": "url", "string": "file:///x"]
        for (value, place, descriptors) in [
            (url, 0, [device]), (url, 1, [device]), (url, -1, [device]), (url, "0", [device]), ("x", 0, [device]), (url, 0, []),
        ] as [(PropertyList, PropertyList, [SharedDescriptor])] {
            let provider: PropertyList = [
                "$kind": "loadedProvider", "representations": [["type": "public.data", "value": value, "file": place]],
            ]
            let plist: PropertyList = [["$kind": "item", "userInfo": ["NSExtensionItemAttachmentsKey": [provider]]]]
            #expect(throws: ItemCodingError.self) {
                try decodeReturnedItems(EncodedValue(plist: plist, descriptors: descriptors), table: ProviderTable())
            }
        }
    }

    private func item(of provider: NSItemProvider) -> NSExtensionItem {
        let item = NSExtensionItem()
        item.attachments = [provider]
        return item
    }

    @Test func whatTheirAuthorDoesWithItemsAfterwardsDoesNotCount() async throws {
        let own = NSItemProvider()
        let asked = Gate()
        let kept = Mutex<[@Sendable (Data?, (any Error)?) -> Void]>([])
        own.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { answer in
            kept.withLock { $0.append(answer) }
            asked.open()
            return nil
        }
        let item = NSExtensionItem()
        item.attributedTitle = NSAttributedString(string: "before")
        item.attachments = [own]
        async let back = returned([item])
        await asked.passed()
        item.attributedTitle = NSAttributedString(string: "after")
        item.attachments = nil
        kept.withLock { $0.first }?(Data([7]), nil)
        let first = try #require(try await back.first)
        kept.withLock { $0 = [] }
        #expect(first.attributedTitle?.string == "before")
        #expect(try await first.attachments?.first?.loadDataRepresentation(for: .data) == Data([7]))
    }

    @Test func withNothingToLoadTheAnswerIsThereAtOnce() throws {
        let answer = Mutex<EncodedValue?>(nil)
        encodeReturnedItems([NSExtensionItem()]) { result in answer.withLock { $0 = try? result.get() } }
        #expect(answer.withLock { $0 } != nil)
    }

    @Test func itemsThatCannotTravelFailTheWhole() async {
        let item = NSExtensionItem()
        item.userInfo = ["object": NSObject()]
        await #expect(throws: ItemCodingError.unsupportedValue(type: "NSObject")) { _ = try await returned([item]) }
        item.userInfo = ["self": item, "list": (0..<40).reduce([1] as [Any]) { inner, _ in [inner] }]
        await #expect(throws: ItemCodingError.tooDeep(limit: 32)) { _ = try await returned([item]) }
        item.userInfo = nil
    }

    @Test func thousandsOfReturnedItemsArriveEqual() async throws {
        var generator = ItemGenerator(seed: 50)
        for _ in 0..<300 {
            let items = (0..<3).map { _ in generator.item() }
            let back = try await returned(items)
            #expect(same(back, items))
            for (item, original) in zip(back, items) { try await expectSameValues(item, original) }
        }
    }
}

@Suite struct RemoteLoadTests {
    // spec: P-077, B7
    @Test func aLoadCallsTheOwnersHandlerOnceAndOnlyWhenAsked() async throws {
        let calls = Atomic(0)
        let original = NSItemProvider()
        let counting: NSItemProvider.LoadHandler = { answer, _, _ in
            calls.add(1, ordering: .relaxed)
            answer?("value" as NSString, nil)
        }
        original.registerItem(forTypeIdentifier: "public.plain-text", loadHandler: counting)
        let remote = try arrived(original, ProviderTable())
        #expect(remote.hasItemConformingToTypeIdentifier("public.text"))
        #expect(calls.load(ordering: .relaxed) == 0)
        #expect(try await loadedText(remote, "public.text") == "value")
        #expect(calls.load(ordering: .relaxed) == 1)
    }

    @Test func nullAndErrorsArriveAsWhatTheyAre() async throws {
        let null = try arrived(NSItemProvider(item: nil, typeIdentifier: "public.text"), ProviderTable())
        #expect(try await null.loadItem(forTypeIdentifier: "public.text") == nil)
        let failing = NSItemProvider()
        failing.registerItem(forTypeIdentifier: "public.text") { answer, _, _ in answer?(nil, CocoaError(.fileNoSuchFile)) }
        failing.registerItem(forTypeIdentifier: "org.example.object") { answer, _, _ in answer?(NSObject(), nil) }
        let remote = try arrived(failing, ProviderTable())
        await #expect { try await remote.loadItem(forTypeIdentifier: "public.text") } throws: { $0 is CocoaError }
        await #expect { try await remote.loadItem(forTypeIdentifier: "org.example.object") } throws: { code(of: $0) == -1100 }
    }

    @Test func whenTheHostIsGoneTheItemIsUnavailable() async throws {
        let table = ProviderTable()
        let remote = try arrived(provider(of: "public.text"), table)
        table.removeAll()
        await #expect { try await remote.loadItem(forTypeIdentifier: "public.text") } throws: { code(of: $0) == -1000 }
    }

    @Test func aLoaderThatForgetsToAnswerFailsTheLoad() async throws {
        struct Forgetful: ItemLoader {
            func load(
                _ question: LoadQuestion, progress: @escaping @Sendable (Int64, Int64) -> Void,
                completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
            ) -> @Sendable () -> Void { {} }
        }
        let item = NSExtensionItem()
        item.attachments = [provider(of: "public.text")]
        let items = try decodeItems(encodeItems([item], into: ProviderTable()), loader: Forgetful())
        let remote = try #require(items.first?.attachments?.first)
        await #expect { try await remote.loadItem(forTypeIdentifier: "public.text") } throws: { code(of: $0) == -1000 }
    }

    // spec: P-074
    @Test func typesOfTheOwnersProcessAloneAreNotServed() async {
        let secret = NSItemProvider()
        secret.registerDataRepresentation(forTypeIdentifier: "org.example.secret", visibility: .ownProcess) { answer in
            answer(Data([8]), nil)
            return nil
        }
        let error: Int? = await withCheckedContinuation { continuation in
            serveLoad(provider: secret, LoadQuestion(provider: 1, typeIdentifier: "org.example.secret")) { result in
                if case .failure(let error) = result {
                    continuation.resume(returning: code(of: error))
                } else {
                    continuation.resume(returning: nil)
                }
            }
        }
        #expect(error == -1000)
    }

    private func arrived(_ provider: NSItemProvider, _ table: ProviderTable) throws -> NSItemProvider {
        let item = NSExtensionItem()
        item.attachments = [provider]
        return try #require(try sent([item], table: table).first?.attachments?.first)
    }
}
