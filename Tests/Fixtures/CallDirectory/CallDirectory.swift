// CallDirectory: does what the key `TestWish` of its Info.plist, or the file `act` of its bundle, says.

import CallKit

/// The acts are separated by semicolons: `block 1 2`, `identify 3=Work 4=Home`, `unblock 1`, `forget 3`, `unblockAll`,
/// `forgetAll`, `fill 1000`, `mix 10`, `status ID`, `die`, `cancel`, `hang`, `items`.
final class CallDirectory: CXCallDirectoryProvider, CXCallDirectoryExtensionContextDelegate {
    override func beginRequest(with context: CXCallDirectoryExtensionContext) {
        context.delegate = self
        print("incremental", context.isIncremental)
        for act in Self.acts.split(separator: ";") {
            let words = act.split(separator: " ").map(String.init)
            guard let verb = words.first else { continue }
            let numbers = words.dropFirst().compactMap { CXCallDirectoryPhoneNumber($0) }
            switch verb {
            case "block": for number in numbers { context.addBlockingEntry(withNextSequentialPhoneNumber: number) }
            case "unblock": for number in numbers { context.removeBlockingEntry(withPhoneNumber: number) }
            case "forget": for number in numbers { context.removeIdentificationEntry(withPhoneNumber: number) }
            case "unblockAll": context.removeAllBlockingEntries()
            case "forgetAll": context.removeAllIdentificationEntries()
            case "identify":
                for pair in words.dropFirst() {
                    let parts = pair.split(separator: "=").map(String.init)
                    context.addIdentificationEntry(
                        withNextSequentialPhoneNumber: CXCallDirectoryPhoneNumber(parts[0]) ?? 0, label: parts[1])
                }
            case "fill":
                for number in 0..<(numbers.first ?? 0) {
                    context.addBlockingEntry(withNextSequentialPhoneNumber: number)
                }
            case "mix":
                for number in 0..<(numbers.first ?? 0) {
                    context.addBlockingEntry(withNextSequentialPhoneNumber: number)
                    context.addIdentificationEntry(
                        withNextSequentialPhoneNumber: number, label: "label \(number % 100)")
                }
            case "status": return answer(context, words[1])
            case "die": exit(1)
            case "cancel": return context.cancelRequest(withError: CocoaError(.fileReadNoSuchFile))
            case "hang": return
            case "items": return context.completeRequest(returningItems: [NSExtensionItem()])
            default: print("no act", verb)
            }
        }
        context.completeRequest { expired in print("completed, expired:", expired) }
    }

    func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
        let code = (error as? CXErrorCodeCallDirectoryManagerError)?.code
        print("failed", code.map { "\($0)" } ?? "\(error)", (error as NSError).code)
    }

    /// Asks the telephone for the state of a directory while the request is open.
    private func answer(_ context: CXCallDirectoryExtensionContext, _ identifier: String) {
        CXCallDirectoryManager.sharedInstance.getEnabledStatusForExtension(withIdentifier: identifier) {
            status, error in
            print("status", status.rawValue, error.map { "\($0)" } ?? "no error")
            context.completeRequest()
        }
    }

    private static var acts: String {
        if let url = Bundle.main.url(forResource: "act", withExtension: nil), let data = try? Data(contentsOf: url) {
            return String(decoding: data, as: UTF8.self)
        }
        return Bundle.main.object(forInfoDictionaryKey: "TestWish") as? String ?? ""
    }
}

/// A class that is no provider.
final class NoDirectory: NSObject {}

@main struct Main { static func main() { NSExtensionMain() } }
