// ReturnedProviders: the search for the providers in returned items, and the wait for their values.

internal import Foundation
internal import Locks

/// The providers in some items that are not their receiver's own, each once.
struct ProviderSearch {
    /// The receiver of the items.
    let owner: String
    private(set) var found: [NSItemProvider] = []
    private var seen: Set<ObjectIdentifier> = []
    private var visited = 0

    init(owner: String) { self.owner = owner }

    /// Visits values down to the limit of items; the encoder refuses deeper ones.
    mutating func visit(_ value: Any, depth: Int) {
        visited += 1
        guard depth < WireLimits.depth, visited <= WireLimits.values, type(of: value) != Data.self else { return }
        guard let object = classInstance(value) else {
            switch value {
            case is String: break
            case let dictionary as [AnyHashable: Any]: for (_, inner) in dictionary { visit(inner, depth: depth + 1) }
            case let array as [Any]: for inner in array { visit(inner, depth: depth + 1) }
            default: if let inner = opened(value) { visit(inner, depth: depth + 1) }
            }
            return
        }
        switch object {
        case let provider as NSItemProvider:
            if provider.number(at: owner) == nil, seen.insert(ObjectIdentifier(provider)).inserted {
                found.append(provider)
            }
        case let item as NSExtensionItem: visit(item.userInfo ?? [:], depth: depth + 1)
        case let dictionary as NSDictionary: for (_, inner) in dictionary { visit(inner, depth: depth + 1) }
        case let array as NSArray: for inner in array { visit(inner, depth: depth + 1) }
        default: break
        }
    }
}

/// Several loads that complete together, when the last one is answered.
final class CollectedLoads: Sendable {
    private let answers: Mutex<(waiting: Int, list: [LoadedRepresentation?])>
    private let finish: @Sendable ([LoadedRepresentation]) -> Void

    init(count: Int, finish: @escaping @Sendable ([LoadedRepresentation]) -> Void) {
        answers = Mutex((count, Array(repeating: nil, count: count)))
        self.finish = finish
    }

    /// Sets the result of a load; each index is set once.
    func set(_ index: Int, _ representation: LoadedRepresentation) {
        let all: [LoadedRepresentation]? = answers.withLock { answers in
            answers.list[index] = representation
            answers.waiting -= 1
            return answers.waiting == 0 ? answers.list.compactMap { $0 } : nil
        }
        if let all { finish(all) }
    }
}

/// One type of a provider that an extension returns, with its value.
struct LoadedRepresentation: Sendable {
    let typeIdentifier: String
    let result: Result<Handover<Any?>, any Error>

    init(typeIdentifier: String, result: Result<Handover<Any?>, any Error>) {
        self.typeIdentifier = typeIdentifier
        self.result = result
    }

    /// Makes the value for a provider in an error, which is sent without loading anything.
    init(notSent typeIdentifier: String) {
        let error = NSItemProvider.error(.itemUnavailableError, "Items in an error are sent without their contents.")
        self.init(typeIdentifier: typeIdentifier, result: .failure(error))
    }
}
