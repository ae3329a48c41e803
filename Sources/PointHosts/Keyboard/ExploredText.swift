// ExploredText: the texts of requests whose calls an explorer makes.

package import ExtensionHost
import ExtensionProtocol
import Locks
import PointMessages

extension KeyboardHost {
    /// Returns handlers that hold a text of its own for each request. They answer at once.
    package static func textHandlers() -> PointHandlers {
        struct Held {
            var text = EditedText()
            var sequence = 1
            var edits = 0
        }
        final class Texts: Sendable {
            let all = Mutex<[RequestIdentifier: Held]>([:])
        }
        let texts = Texts()
        var handlers = PointHandlers()
        handlers.on(KeysEdits.self) { message, call in
            texts.all.withLock { all in
                var held = all[call.request] ?? Held()
                for edit in message.edits.dropFirst(max(held.edits + 1 - message.first, 0)) {
                    held.edits += 1
                    held.sequence += 1
                    _ = held.text.perform(edit)
                }
                all[call.request] = held
                return KeysEdits.Reply(held.text.mirror(Settings().mirrorLength, held.sequence))
            }
        }
        handlers.on(KeysLexicon.self) { _, _ in KeysLexicon.Reply([]) }
        return handlers
    }
}
