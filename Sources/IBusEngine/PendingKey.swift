// PendingKey: a key that waits for its answer.

import EventLoop

/// A key, answered once.
@HostActor
final class PendingKey {
    let event: KeyEvent
    private(set) var answer: (@HostActor (Bool) -> Void)?
    var deadline: Deadline?

    init(_ event: KeyEvent, _ answer: @escaping @HostActor (Bool) -> Void) {
        (self.event, self.answer) = (event, answer)
    }

    func finish(_ isHandled: Bool) {
        deadline = nil
        answer?(isHandled)
        answer = nil
    }
}
