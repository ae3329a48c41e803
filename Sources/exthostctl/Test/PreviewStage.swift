// PreviewStage: the preview of one test.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import PointHosts
import Scenarios

/// The preview that is open, from its first step on.
actor PreviewStage {
    private let host: HostApplication
    private let identifier: String
    private var session: PreviewSession?

    init(_ host: HostApplication, _ identifier: String) { (self.host, self.identifier) = (host, identifier) }

    func perform(_ step: PreviewStep, in folder: String) async throws -> PreviewEnding {
        let subject: PreviewHost.Subject
        switch step {
        case .file(let text): subject = .file(text.hasPrefix("/") ? text : "\(folder)/\(text)")
        case .item(let item, let query): subject = .item(item, query: query)
        case .close:
            guard let session else {
                throw TestFailure(
                    expected: "an open preview", found: "there is none", remedy: "Write a line preview file above it")
            }
            self.session = nil
            return await PreviewEnding(ending: session)
        }
        // A new preview takes the place of the open one.
        let open = session
        session = nil
        await open?.end()
        do {
            let begun = try await PreviewHost(host).begin(subject, with: identifier)
            session = begun
            return PreviewEnding(begun)
        } catch let fault as PreviewFault {
            return PreviewEnding(fault)
        }
    }
}
