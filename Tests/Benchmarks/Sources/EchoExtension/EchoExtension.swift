// EchoExtension: returns what it gets, the smallest work there is; or loads its attachment and adds up every byte.

import ExtensionFoundation
import Foundation

final class EchoExtension: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {
        guard let item = context.inputItems.first as? NSExtensionItem, let form = item.userInfo?["load"] as? String,
            let provider = item.attachments?.first
        else { return context.completeRequest(returningItems: context.inputItems) }
        load(provider, form, context)
    }

    /// Answers with how long the load took, how long adding up, the sum, and the most memory that this process has had.
    private func load(_ provider: NSItemProvider, _ form: String, _ context: NSExtensionContext) {
        let began = ContinuousClock.now
        @Sendable func finish(_ data: @autoclosure () -> Data?, _ error: (any Error)?) {
            let loaded = ContinuousClock.now
            guard let data = data() else { return context.cancelRequest(withError: error ?? CocoaError(.fileReadUnknown)) }
            let sum = data.withUnsafeBytes { bytes in bytes.bindMemory(to: UInt64.self).reduce(0, &+) }
            let answer = NSExtensionItem()
            answer.userInfo = [
                "load": (loaded - began) / .seconds(1), "sum": (ContinuousClock.now - loaded) / .seconds(1),
                "total": Int64(bitPattern: sum), "peak": peakMemory(),
            ]
            context.completeRequest(returningItems: [answer])
        }
        switch form {
        case "file":
            provider.loadFileRepresentation(forTypeIdentifier: "public.data") { url, error in
                finish(url.flatMap { try? Data(contentsOf: $0, options: .alwaysMapped) }, error)
            }
        case "place":
            provider.loadInPlaceFileRepresentation(forTypeIdentifier: "public.data") { url, _, error in
                finish(url.flatMap { try? Data(contentsOf: $0, options: .alwaysMapped) }, error)
            }
        default:
            provider.loadDataRepresentation(forTypeIdentifier: "public.data") { data, error in finish(data, error) }
        }
    }
}

/// In KiB, mapped pages of others included.
private func peakMemory() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    return status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }.flatMap { Int($0.filter(\.isNumber)) } ?? 0
}

@main struct Main { static func main() { NSExtensionMain() } }
