// SpotlightStage: the system's Spotlight of one test.

import ExtensionHost
import ExtensionProtocol
import PointHosts
import Scenarios

/// The index of one test, from its first step on. It ends with the test.
actor SpotlightStage {
    private let host: HostApplication
    private let identifier: String
    private var opening: Task<SpotlightHost, any Error>?

    init(_ host: HostApplication, _ identifier: String) { (self.host, self.identifier) = (host, identifier) }

    private func spotlight() async throws -> SpotlightHost {
        let opening =
            opening
            ?? Task { [host] in
                let spotlight = try SpotlightHost(host, store: nil)
                try await spotlight.serve()
                return spotlight
            }
        self.opening = opening
        return try await opening.value
    }

    /// Asks for all items, or for those with these identifiers.
    func reindex(_ identifiers: [String]) async throws -> SpotlightAnswer {
        let spotlight = try await spotlight()
        return .indexed(
            identifiers.isEmpty
                ? try await spotlight.reindexAll(identifier)
                : try await spotlight.reindex(identifiers, of: identifier))
    }

    /// Imports the attributes of a file.
    func importFile(_ path: String, type: String?) async throws -> ImportEnding {
        ImportEnding(try await spotlight().importFile(at: path, type: type, by: identifier))
    }

    func search(_ question: SpotlightAnswer.Question) async throws -> SpotlightAnswer {
        try await SpotlightAnswer.search(question, try await spotlight())
    }
}

extension SpotlightAnswer {
    /// The result in a scenario's word, and the reason of it.
    var result: (word: PointResult, why: String?) {
        switch self {
        case .found(let items): return (items.isEmpty ? .nothing : .found, nil)
        case .indexed(let report):
            switch report.ending {
            case .acknowledged: return (.indexed, nil)
            case .timedOut: return (.timedOut, nil)
            case .interrupted(let cause): return (.ended, cause?.rawValue)
            case .failed(let error): return (error.code == .handlerDropped ? .handlerDropped : .failed, "\(error)")
            }
        }
    }
}
