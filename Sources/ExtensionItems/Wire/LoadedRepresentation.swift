// LoadedRepresentation: one type of a provider that an extension returns, with its value.

internal import Foundation

struct LoadedRepresentation: Sendable {
    let typeIdentifier: String
    let result: Result<Handover<Any?>, any Error>

    init(typeIdentifier: String, result: Result<Handover<Any?>, any Error>) {
        self.typeIdentifier = typeIdentifier
        self.result = result
    }

    /// For a provider in an error, which is sent without loading anything.
    init(notSent typeIdentifier: String) {
        let error = NSItemProvider.error(.itemUnavailableError, "Items in an error are sent without their contents.")
        self.init(typeIdentifier: typeIdentifier, result: .failure(error))
    }
}
