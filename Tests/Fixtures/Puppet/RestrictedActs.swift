// RestrictedActs: what the puppet asks for though extensions may not have it.

import ExtensionFoundation
import ExtensionHost
import Foundation

/// Returns what each activity, a marked API and the kit of hosts answer: empty where they may be had.
func tryRestrictedActivities(_ context: NSExtensionContext) {
    // Reading an Info.plist and connecting may wait.
    Task.detached {
        var answers: [String: [String: Any]] = [:]
        for activity in RestrictedActivity.allCases {
            answers[activity.rawValue] = answer { try activity.check() }
        }
        answers["marked"] = answer { try openSettings() }
        do {
            _ = try await HostApplication.connect(name: "puppet")
            answers["hosting"] = [:]
        } catch {
            answers["hosting"] = described(error)
        }
        let item = NSExtensionItem()
        item.userInfo = answers
        context.completeRequest(returningItems: [item])
    }
}

/// Of a library that is shared with an app.
private func openSettings() throws {
    try notAvailableToExtensions(instead: "Tell people where the setting is")
}

private func answer(_ body: () throws -> Void) -> [String: Any] {
    do {
        try body()
        return [:]
    } catch {
        return described(error)
    }
}

private func described(_ error: any Error) -> [String: Any] {
    let known = error as? ExtensionHostError
    return [
        "domain": (error as NSError).domain, "code": (error as NSError).code, "message": known?.message ?? "\(error)",
        "reason": known?.cause ?? "", "remedy": known?.remedy ?? "",
    ]
}

/// Cancels with what the camera answers.
func cancelForCamera(_ context: NSExtensionContext) {
    context.cancelRequest(
        withError: RestrictedActivity.camera.refusal ?? ExtensionHostError(.internalError, "it may be had"))
}
