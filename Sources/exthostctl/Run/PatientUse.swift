// PatientUse: an act on an element that the view may not show yet.

import ExtensionHost
import ExtensionProtocol
import Scenarios

extension SheetAct {
    var action: ViewAction {
        switch self {
        case .text(let text): .setText(text)
        case .tap(let name): .tap(name)
        case .post: .post
        case .cancel: .cancel
        }
    }
}

extension ViewAction {
    /// Returns the act that the user meant. A compose sheet has the buttons Post and Cancel, which are no elements of
    /// its view: a tap on one is the act.
    fileprivate func meant(in view: ViewElement?) -> ViewAction {
        guard case .tap(let name) = self, let view, view.first(.sheet) != nil, view[name] == nil else { return self }
        switch name {
        case "Post": return .post
        case "Cancel": return .cancel
        default: return self
        }
    }
}

extension ExtensionRequest {
    /// Performs an act as `use` does. If its element is missing or disabled, waits up to `patience` for another view.
    ///
    /// A script cannot see when an element is usable, so its line waits for a view in which it is.
    @discardableResult
    func use(_ action: ViewAction, patience: Duration) async throws -> ViewElement? {
        let deadline = ContinuousClock.now + patience
        while true {
            let before = view
            do {
                return try await use(action.meant(in: before))
            } catch {
                guard Self.isOfTheView(error), await hasChanged(from: before, until: deadline) else { throw error }
            }
        }
    }

    /// Whether the error means that the element is missing or disabled.
    private static func isOfTheView(_ error: any Error) -> Bool {
        let code = (error as? ExtensionHostError)?.code
        return code == .invalidArgument || code == .notPermitted
    }

    /// Waits for another view. False if none comes in time, or the request has ended.
    private func hasChanged(from before: ViewElement?, until deadline: ContinuousClock.Instant) async -> Bool {
        guard ContinuousClock.now < deadline else { return false }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask { await self.view { $0 != before } != nil }
            group.addTask {
                try? await Task.sleep(until: deadline, clock: .continuous)  // the bound of the wait, not the wait
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}
