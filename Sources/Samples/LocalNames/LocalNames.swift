// LocalNames: a DNS proxy that answers from a file. It says of all other names that they do not exist.

import Glibc
import NetworkExtension

/// Takes the queries of programs, and answers each.
final class LocalNames: NEDNSProxyProvider {
    private var names: [String: [String]] = [:]

    override func startProxy(options: [String: Any]? = nil) async throws {
        guard let url = Bundle.main.url(forResource: "names", withExtension: "json") else {
            throw CocoaError(.fileNoSuchFile)
        }
        names = try JSONDecoder().decode([String: [String]].self, from: Data(contentsOf: url))
    }

    override func stopProxy(with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void) {
        completionHandler()
    }

    override func handleNewFlow(_ flow: NEAppProxyFlow) -> Bool {
        // Answers here are short, so no program asks over TCP.
        guard let flow = flow as? NEAppProxyUDPFlow else { return false }
        flow.open(withLocalEndpoint: nil) { [names] error in
            if error == nil { Self.answer(flow, names) }
        }
        return true
    }

    /// Answers the next queries of a socket, and then those after them.
    private static func answer(_ flow: NEAppProxyUDPFlow, _ names: [String: [String]]) {
        flow.readDatagrams { datagrams, endpoints, error in
            guard let datagrams, let endpoints, error == nil, !datagrams.isEmpty else {
                flow.closeReadWithError(error)
                return flow.closeWriteWithError(error)
            }
            var answers: [Data] = []
            var senders: [NWEndpoint] = []
            for (query, endpoint) in zip(datagrams, endpoints) {
                guard let answer = Query([UInt8](query))?.answer(names) else { continue }
                answers.append(Data(answer))
                senders.append(endpoint)
            }
            flow.writeDatagrams(answers, sentBy: senders) { _ in answer(flow, names) }
        }
    }
}

/// A query for one name (RFC 1035, section 4).
struct Query {
    /// The message up to the end of the question.
    private let head: [UInt8]
    private let name: String
    private let type: Int

    /// - Returns: nil for a message that is no query, or asks for several names.
    init?(_ message: [UInt8]) {
        guard message.count >= 12, message[2] & 0xf8 == 0, message[4] == 0, message[5] == 1 else { return nil }
        var labels: [String] = []
        var offset = 12
        while offset < message.count, message[offset] != 0 {
            let length = Int(message[offset])
            guard length < 64, offset + length < message.count else { return nil }
            labels.append(String(decoding: message[offset + 1...offset + length], as: UTF8.self).lowercased())
            offset += length + 1
        }
        // The type and the class of the question come after the name, whose last label is empty.
        guard offset + 5 <= message.count else { return nil }
        head = Array(message[..<(offset + 5)])
        name = labels.joined(separator: ".")
        type = Int(message[offset + 1]) << 8 | Int(message[offset + 2])
    }

    /// The answer, whose name either has addresses or does not exist.
    func answer(_ names: [String: [String]]) -> [UInt8] {
        let addresses = (names[name] ?? []).compactMap(address)
        var answer = head
        answer[2] = 0x84 | head[2] & 1
        answer[3] = 0x80 | (names[name] == nil ? 3 : 0)
        answer.replaceSubrange(6..<12, with: [0, UInt8(addresses.count), 0, 0, 0, 0])
        for address in addresses {
            // The name is that of the question. The answer holds for a minute.
            answer += [0xc0, 12, 0, UInt8(type), 0, 1, 0, 0, 0, 60, 0, UInt8(address.count)] + address
        }
        return answer
    }

    /// The bytes of an address that the query is for; nil for one of another family.
    private func address(_ text: String) -> [UInt8]? {
        let isIPv6 = text.contains(":")
        guard type == (isIPv6 ? 28 : 1) else { return nil }
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        return inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &bytes) == 1 ? bytes : nil
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
