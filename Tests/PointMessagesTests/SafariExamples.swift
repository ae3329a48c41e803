// SafariExamples: values of every message of the browser's service.

import PointMessages

func safariExamples() -> [MessageExamples] {
    [
        MessageExamples(ReloadContentBlocker.self, ["": ReloadContentBlocker("org.example.blocker")]),
        MessageExamples(
            ContentBlockerState.self, ["": ContentBlockerState("org.example.blocker")],
            replies: ["": ContentBlockerState.Reply(isEnabled: true)]),
    ]
}
