// ExtensionPointSupport: times calls of the host beside loads of an attachment, each there and back.

import EchoCalls
import Foundation
import PointFrameworkKit

final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        let item = session.context.inputItems.first as? NSExtensionItem
        guard call.name == TimeCalls.name, let provider = item?.attachments?.first else {
            throw CocoaError(.featureUnsupported)
        }
        let rounds = try call.decode(TimeCalls.self).rounds
        var times = TimeCalls.Reply()
        for _ in 0..<rounds {
            let start = ContinuousClock.now
            let called = try await session.call(FetchBytes()).bytes.count
            let middle = ContinuousClock.now
            let loaded = try await load(provider)
            let end = ContinuousClock.now
            guard called == loaded else { throw CocoaError(.fileReadCorruptFile) }
            times.calls.append((middle - start) / .microseconds(1))
            times.loads.append((end - middle) / .microseconds(1))
        }
        return try PointEncoder.encode(times)
    }

    /// Returns the number of bytes.
    private func load(_ provider: NSItemProvider) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            provider.loadDataRepresentation(forTypeIdentifier: "public.data") { data, error in
                continuation.resume(
                    with: data.map { .success($0.count) } ?? .failure(error ?? CocoaError(.fileReadUnknown)))
            }
        }
    }
}
