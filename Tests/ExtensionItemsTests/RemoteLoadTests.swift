// RemoteLoadTests: lazy loads across the wire.

import ExtensionItems
import Foundation
import Locks
import Testing

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
        failing.registerItem(forTypeIdentifier: "public.text") { answer, _, _ in
            answer?(nil, CocoaError(.fileNoSuchFile))
        }
        failing.registerItem(forTypeIdentifier: "org.example.object") { answer, _, _ in answer?(NSObject(), nil) }
        let remote = try arrived(failing, ProviderTable())
        await #expect { try await remote.loadItem(forTypeIdentifier: "public.text") } throws: { $0 is CocoaError }
        await #expect { try await remote.loadItem(forTypeIdentifier: "org.example.object") } throws: {
            code(of: $0) == -1100
        }
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
        try #require(try sent([item(of: provider)], table: table).first?.attachments?.first)
    }
}
