// ListFilter: a network filter with a list of hosts, and of words that no answer may have.

import NetworkExtension

/// Refuses flows to the hosts of its list, and ends those whose first bytes have a word of the list.
final class ListFilter: NEFilterDataProvider {
    private struct List: Decodable {
        let hosts: [String]
        let words: [String]
        /// The hosts about which the control provider decides.
        let open: [String]
    }

    /// The number of inbound bytes that are searched for words.
    private static let searched = 4096
    private var list = List(hosts: [], words: [], open: [])

    override func startFilter() async throws {
        // An app would write the list into the container of its group, which this provider may read.
        guard let url = Bundle.main.url(forResource: "list", withExtension: "json") else {
            throw CocoaError(.fileNoSuchFile)
        }
        list = try JSONDecoder().decode(List.self, from: Data(contentsOf: url))
    }

    override func handleNewFlow(_ flow: NEFilterFlow) -> NEFilterNewFlowVerdict {
        let host = (flow.url?.host ?? (flow as? NEFilterSocketFlow)?.remoteHostname ?? "").lowercased()
        if list.hosts.contains(where: { host == $0 || host.hasSuffix("." + $0) }) { return .drop() }
        if list.open.contains(host) { return .needRules() }
        return .filterDataVerdict(
            withFilterInbound: true, peekInboundBytes: Self.searched, filterOutbound: false, peekOutboundBytes: 0)
    }

    override func handleInboundData(
        from flow: NEFilterFlow, readBytesStartOffset offset: Int, readBytes: Data
    ) -> NEFilterDataVerdict {
        let text = String(decoding: readBytes, as: UTF8.self)
        if list.words.contains(where: { text.contains($0) }) { return .drop() }
        if offset + readBytes.count >= Self.searched { return .allow() }
        // The beginning of a word waits for the bytes after it.
        let begun = list.words.map { word in
            (1..<max(2, word.utf8.count)).last { readBytes.suffix($0).elementsEqual(word.utf8.prefix($0)) } ?? 0
        }
        return NEFilterDataVerdict(passBytes: readBytes.count - (begun.max() ?? 0), peekBytes: Self.searched)
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
