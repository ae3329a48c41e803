// ReturnedItemTests: what an extension gives back.

import ExtensionItems
import Foundation
import Glibc
import LinuxSystem
import Locks
import PropertyListCoding
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
            ($0 as NSError).code == 11 && "\($0)".contains("have no previews")
        }
        // One that its receiver gives it is its own.
        back.previewImageHandler = { answer, _, _ in answer?(Data([2]) as NSData, nil) }
        #expect(try await back.loadPreviewImage() as? Data == Data([2]))
    }

    /// As casts look through them: what an optional or an `AnyHashable` holds is loaded, and copied, as it is without.
    @Test func whatOptionalsHoldIsLoadedAndCopied() async throws {
        let text = NSMutableString(string: "before")
        let own = [provider(of: "public.text"), nil]
        let item = NSExtensionItem()
        item.userInfo = [
            "one": Optional(provider(of: "public.url")) as Any, "list": own,
            "hashed": AnyHashable(provider(of: "public.data")),
            "text": Optional(text) as Any,
        ]
        text.setString("after")
        let back = try #require(try await returned([item]).first?.userInfo)
        #expect(back["text"] as? String == "before")
        let list = try #require(back["list"] as? [Any])
        #expect(list.count == 2 && list.last is NSNull)
        for (value, type) in [
            (back["one"], "public.url"), (list.first, "public.text"), (back["hashed"], "public.data"),
        ] {
            #expect(try await loadedText(try #require(value as? NSItemProvider), type) == type)
        }
    }

    /// A process keeps what it likes from one request to the next.
    @Test func aProviderOfAnotherRequestIsNotTakenForThisOnesOfThatNumber() async throws {
        let (one, other) = (provider(of: "public.text"), provider(of: "public.url"))
        let (oneTable, otherTable) = (ProviderTable(), ProviderTable())
        let kept = try #require(try sent([item(of: one)], table: oneTable, of: "one").first)
        let arrived = try #require(try sent([item(of: other)], table: otherTable, of: "other").first)
        let back = try await returned([kept, arrived], table: otherTable, to: "other").compactMap {
            $0.attachments?.first
        }
        #expect(back.count == 2 && back.last === other)
        let first = try #require(back.first)
        #expect(first !== other && first.registeredTypeIdentifiers == ["public.text"])
        #expect(try await loadedText(first, "public.text") == "public.text")
        // Of a request that has ended there is nothing to be had any more.
        oneTable.removeAll()
        let late = try #require(try await returned([kept], table: otherTable, to: "other").first?.attachments?.first)
        await #expect { try await late.loadItem(forTypeIdentifier: "public.text") } throws: { code(of: $0) == -1000 }
        // In an error, too.
        let error = NSError(
            domain: "d", code: 1, userInfo: [NSExtensionItemsAndErrorsKey: [kept: CocoaError(.fileNoSuchFile)]])
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
        let own = NSItemProvider(
            item: ["a": [1, 2.5, true]] as NSDictionary, typeIdentifier: "com.apple.property-list")
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
        await #expect { try await provider.loadItem(forTypeIdentifier: "org.example.object") } throws: {
            code(of: $0) == -1100
        }
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
