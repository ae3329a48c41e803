// CallDirectoryExamples: values of every message of call directories, and of the telephone's service.

import PointMessages

func callDirectoryExamples() -> [MessageExamples] {
    [
        MessageExamples(LoadCallDirectory.self, ["": LoadCallDirectory(isIncremental: true)]),
        MessageExamples(
            EndCallDirectory.self,
            ["full": EndCallDirectory(failure: 3, reason: "out of order"), "bare": EndCallDirectory()]),
        MessageExamples(
            CallDirectoryEntries.self,
            [
                "full": CallDirectoryEntries(
                    identifying: [15_555_550_123, .max - 1], labels: ["Work", "Home"], places: [0, 1]),
                "bare": CallDirectoryEntries(.block, numbers: [1, 15_555_550_123]),
            ]),
    ]
}

func callServiceExamples() -> [MessageExamples] {
    [
        MessageExamples(ReloadCallDirectory.self, ["": ReloadCallDirectory("org.example.directory")]),
        MessageExamples(
            CallDirectoryStatus.self, ["": CallDirectoryStatus("org.example.directory")],
            replies: ["": CallDirectoryStatus.Reply(isEnabled: true)]),
        MessageExamples(OpenCallSettings.self, ["": OpenCallSettings()]),
    ]
}
