// Loopback: both ends of a wire in one process.

import ExtensionItems
import Foundation

/// Answers loads from a table, as the owner's side does.
struct Loopback: ItemLoader {
    let table: ProviderTable
    var owner = ""

    func load(
        _ question: LoadQuestion, progress: @escaping @Sendable (Int64, Int64) -> Void,
        completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
    ) -> @Sendable () -> Void {
        guard let provider = table[question.provider] else {
            completion(.failure(NSItemProvider.error(.itemUnavailableError, "The host is gone.")))
            return {}
        }
        let served = serveLoad(provider: provider, question, progress: progress, completion: completion)
        return { served.cancel() }
    }
}

/// An item with this attachment and nothing else.
func item(of provider: NSItemProvider) -> NSExtensionItem {
    let item = NSExtensionItem()
    item.attachments = [provider]
    return item
}

/// The items as the other side gets them.
func sent(_ items: [NSExtensionItem], table: ProviderTable, of owner: String = "") throws -> [NSExtensionItem] {
    try decodeItems(encodeItems(items, into: table), loader: Loopback(table: table, owner: owner))
}

/// The items as the host gets them back.
func returned(
    _ items: [NSExtensionItem], table: ProviderTable = ProviderTable(), to owner: String = ""
) async throws -> [NSExtensionItem] {
    let encoded = try await withCheckedThrowingContinuation { continuation in
        encodeReturnedItems(items, to: owner) { continuation.resume(with: $0) }
    }
    return try decodeReturnedItems(encoded, table: table)
}
