// Echo: returns what it gets, the smallest work there is; or does what the item's userInfo asks for.

import ExtensionFoundation
import Foundation

/// `load`: loads its attachment and adds up every byte. `notice`: says when it had the first notification of its host,
/// once it has the last. `wait`: never answers. `children`: starts so many processes that sleep, and never answers.
public final class Echo: NSObject, NSExtensionRequestHandling {
    private let notice = Notice()

    public func beginRequest(with context: NSExtensionContext) {
        let item = context.inputItems.first as? NSExtensionItem
        let orders = item?.userInfo ?? [:]
        if let form = orders["load"] as? String, let provider = item?.attachments?.first {
            load(provider, form, context)
        } else if orders["notice"] != nil {
            notice.follow(context)
        } else if let count = orders["children"] as? Int {
            for _ in 0..<count { sleepingChild() }
        } else if orders["wait"] == nil {
            context.completeRequest(returningItems: context.inputItems)
        }
    }

    /// Answers with how long the load took, how long adding up, the sum, and the most memory that this process has had.
    private func load(_ provider: NSItemProvider, _ form: String, _ context: NSExtensionContext) {
        let began = ContinuousClock.now
        @Sendable func finish(_ data: @autoclosure () -> Data?, _ error: (any Error)?) {
            let loaded = ContinuousClock.now
            guard let data = data() else {
                return context.cancelRequest(withError: error ?? CocoaError(.fileReadUnknown))
            }
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

    private func sleepingChild() {
        var pid: pid_t = 0
        let words = [strdup("sleep"), strdup("1000"), nil]
        posix_spawn(&pid, "/bin/sleep", nil, nil, words, nil)
        for word in words { free(word) }
    }
}

/// When the host's first notification came, told with the answer to its last.
private final class Notice: @unchecked Sendable {
    // Notifications of one host come one after the other, on one queue.
    private var first: UInt64 = 0
    private var observers: [any NSObjectProtocol] = []

    func follow(_ context: NSExtensionContext) {
        let center = NotificationCenter.default
        observers = [
            center.addObserver(forName: .NSExtensionHostWillResignActive, object: context, queue: nil) { _ in
                self.first = self.now()
            },
            center.addObserver(forName: .NSExtensionHostDidBecomeActive, object: context, queue: nil) { _ in
                self.observers.forEach(center.removeObserver)
                self.observers = []
                let answer = NSExtensionItem()
                answer.userInfo = ["received": Int64(self.first)]
                context.completeRequest(returningItems: [answer])
            },
        ]
    }

    private func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// In KiB, mapped pages of others included.
private func peakMemory() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    return status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }.flatMap { Int($0.filter(\.isNumber)) } ?? 0
}
