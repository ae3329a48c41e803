// SerialDeliveryTests: the order of completion handlers in tests, by seed; strict attachments.

import Dispatch
import ExtensionItems
import Foundation
import Locks
import Testing

@Suite struct SerialDeliveryTests {
    /// The order in which ten loads, answered at random moments, reach their completion handlers.
    private func order(seed: UInt64) async -> [Int] {
        let delivery = SerialDelivery(seed: seed)
        let seen = Mutex<[Int]>([])
        let running = Atomic(0)
        let (ended, hasEnded) = AsyncStream.makeStream(of: Void.self)
        delivery.hold()
        ItemMode.with(ItemMode(delivery: delivery)) {
            for number in 0..<10 {
                let provider = NSItemProvider()
                provider.registerItem(forTypeIdentifier: "public.text") { answer, _, _ in
                    DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(Int.random(in: 0...2000))) {
                        answer?("x" as NSString, nil)
                    }
                }
                provider.loadItem(forTypeIdentifier: "public.text") { _, _ in
                    #expect(running.add(1, ordering: .relaxed).newValue == 1)
                    let count = seen.withLock {
                        $0.append(number)
                        return $0.count
                    }
                    running.subtract(1, ordering: .relaxed)
                    if count == 10 { hasEnded.finish() }
                }
            }
        }
        delivery.release()
        for await _ in ended {}
        return seen.withLock { $0 }
    }

    // spec: P-088
    @Test func aSeedDecidesTheOrderAndNothingElseDoes() async {
        var orders: Set<[Int]> = []
        for seed in UInt64(0)..<5 {
            let first = await order(seed: seed)
            for _ in 0..<5 { #expect(await order(seed: seed) == first) }
            #expect(first.sorted() == Array(0..<10))
            orders.insert(first)
        }
        #expect(orders.count == 5)
    }

    @Test func loadsThatACompletionHandlerStartsAreTheNextRound() async throws {
        let mode = ItemMode(delivery: SerialDelivery(seed: 1))
        let provider = NSItemProvider(item: "x" as NSString, typeIdentifier: "public.text")
        let done = Gate()
        ItemMode.with(mode) {
            _ = provider.loadItem(forTypeIdentifier: "public.text") { _, _ in
                ItemMode.with(mode) {
                    _ = provider.loadItem(forTypeIdentifier: "public.text") { _, _ in done.open() }
                }
            }
        }
        await done.passed()
    }

    // spec: P-056, P-057
    @Test func strictModeRefusesAttachmentsThatAreNoProviders() async throws {
        let item = NSExtensionItem()
        item.userInfo = [NSExtensionItemAttachmentsKey: ["text"]]
        let back = try sent([item], table: ProviderTable())
        #expect(back.first?.userInfo?[NSExtensionItemAttachmentsKey] as? [String] == ["text"])
        #expect(throws: ItemCodingError.self) {
            try ItemMode.with(ItemMode(isStrict: true)) { try sent([item], table: ProviderTable()) }
        }
        await #expect(throws: ItemCodingError.self) {
            try await ItemMode.with(ItemMode(isStrict: true)) { try await returned([item]) }
        }
        item.attachments = [NSItemProvider(item: "text" as NSString, typeIdentifier: nil)]
        _ = try ItemMode.with(ItemMode(isStrict: true)) { try sent([item], table: ProviderTable()) }
    }
}
