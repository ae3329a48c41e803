// Loopback: both ends of a wire in one process.

import ExtensionItems

/// Answers loads from a table, as the owner's side does.
struct Loopback: ItemLoader {
    let table: ProviderTable

    func load(
        provider: Int, typeIdentifier: String, completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
    ) {
        guard let provider = table[provider] else {
            return completion(.failure(NSItemProvider.error(.itemUnavailableError, "The host is gone.")))
        }
        serveLoad(provider: provider, typeIdentifier: typeIdentifier, completion: completion)
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
