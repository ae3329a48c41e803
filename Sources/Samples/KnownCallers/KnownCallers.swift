// KnownCallers: a call directory with a list of numbers in its bundle.

import CallKit

/// Blocks and names the numbers of `numbers.json`. A telephone asks for the directory and keeps it, so no extension runs
/// when a call comes.
///
/// A load that is incremental has the changes only. This list never changes, so such a load has none.
final class KnownCallers: CXCallDirectoryProvider {
    private struct List: Decodable {
        let blocked: [CXCallDirectoryPhoneNumber]
        let names: [String: String]
    }

    override func beginRequest(with context: CXCallDirectoryExtensionContext) {
        guard !context.isIncremental else { return context.completeRequest() }
        do {
            guard let url = Bundle.main.url(forResource: "numbers", withExtension: "json") else {
                throw CocoaError(.fileNoSuchFile)
            }
            let list = try JSONDecoder().decode(List.self, from: try Data(contentsOf: url))
            // The telephone takes numbers in ascending order only.
            for number in list.blocked.sorted() { context.addBlockingEntry(withNextSequentialPhoneNumber: number) }
            let names = list.names.compactMap { number, name in
                CXCallDirectoryPhoneNumber(number).map { (number: $0, name: name) }
            }
            for (number, name) in names.sorted(by: { $0.number < $1.number }) {
                context.addIdentificationEntry(withNextSequentialPhoneNumber: number, label: name)
            }
            context.completeRequest()
        } catch {
            context.cancelRequest(withError: error)
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
