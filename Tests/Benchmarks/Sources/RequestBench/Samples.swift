// Samples: one line of output, a name, a unit and every sample; and the items that requests carry.

import ExtensionHostTesting
import Foundation

func printSamples(_ name: String, _ unit: String, _ values: [Double]) {
    print(([name, unit] + values.map { String(format: "%.3f", $0) }).joined(separator: " "))
}

extension Duration {
    var microseconds: Double { Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12 }
}

extension NSExtensionItem {
    /// About 1 KB on the wire.
    static var kilobyte: NSExtensionItem {
        order(["text": String(repeating: "a kilobyte of text ", count: 48), "number": 42, "flag": true])
    }

    static func order(_ userInfo: [String: Any]) -> NSExtensionItem {
        let item = NSExtensionItem()
        item.userInfo = userInfo
        return item
    }
}

extension ExtensionRequest {
    /// Throws where it ended otherwise than by an answer.
    @discardableResult
    func answer() async throws -> [NSExtensionItem] {
        guard case .completed(let items) = await outcome else { throw BenchFailure(outcome: "\(await outcome)") }
        return items
    }
}

/// A figure of `/proc/PID/NAME`, summed up over all its lines that begin so.
func figure(_ key: String, _ path: String) -> Int {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.hasPrefix(key) }
        .reduce(0) { sum, line in sum + (Int(line.drop { $0 != ":" }.filter(\.isNumber)) ?? 0) }
}
