// Orders: what tests tell the puppet, and what they make of its answer.

import ExtensionHostTesting
import Foundation

let puppet = "org.exthost.tests.puppet"

/// An item that tells the puppet what to do.
func order(_ act: String, _ argument: String = "", attachments: [NSItemProvider] = []) -> NSExtensionItem {
    let item = NSExtensionItem()
    item.userInfo = ["do": act, "argument": argument]
    if !attachments.isEmpty { item.attachments = attachments }
    return item
}

func items(of outcome: RequestOutcome) throws -> [NSExtensionItem] {
    guard case .completed(let items) = outcome else { throw UnexpectedOutcome(outcome: "\(outcome)") }
    return items
}

struct UnexpectedOutcome: Error { let outcome: String }
