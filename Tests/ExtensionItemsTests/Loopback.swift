// Loopback: both ends of a wire in one process.

import ExtensionItems
import Foundation

/// Answers loads from a table, as the owner's side does.
struct Loopback: ItemLoader {
    let table: ProviderTable

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

/// The items as the other side gets them.
func sent(_ items: [NSExtensionItem], table: ProviderTable) throws -> [NSExtensionItem] {
    try decodeItems(encodeItems(items, into: table), loader: Loopback(table: table))
}

/// The items as the host gets them back.
func returned(_ items: [NSExtensionItem], table: ProviderTable = ProviderTable()) async throws -> [NSExtensionItem] {
    let encoded = try await withCheckedThrowingContinuation { continuation in
        encodeReturnedItems(items) { continuation.resume(with: $0) }
    }
    return try decodeReturnedItems(encoded, table: table)
}
