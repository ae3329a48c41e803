// RequestFailure: the error of a request that did not complete.

internal import ExtensionHost
internal import ExtensionItems
internal import ExtensionProtocol

extension ExtensionRequest {
    /// Returns the items of the request's outcome. Cancels the request if the task is cancelled.
    ///
    /// - Throws: the extension's error, or `ExtensionHostError` with the reason of another end.
    func completedItems() async throws -> [NSExtensionItem] {
        let end = await withTaskCancellationHandler {
            await self.outcome
        } onCancel: {
            Task { try? await self.cancel() }
        }
        switch end {
        case .completed(let items): return items
        case .cancelled(_, let error): throw error
        case .interrupted(let cause), .timedOut(let cause), .refused(let cause):
            if let reason = await explanation { throw reason }
            throw ExtensionHostError(.interrupted, "the request of \(extensionIdentifier) ended: \(cause.rawValue)")
        }
    }
}
