// FileExamples: values of every message of document pickers and of the actions of file providers.

import ExtensionPointKit
import PointMessages

func fileExamples() throws -> [MessageExamples] {
    let file = try PointFile(readingAt: "/etc/passwd")
    return [
        MessageExamples(
            PreparePicker.self,
            [
                "full": PreparePicker(
                    mode: .moveToService, types: ["public.text", "public.image"],
                    original: PreparePicker.Original(name: "Grüße.txt", file: file), provider: "org.example.files",
                    group: "group.org.example"),
                "bare": PreparePicker(mode: .import, types: nil, original: nil, provider: nil, group: nil),
            ]),
        MessageExamples(
            GrantAccess.self,
            [
                "full": GrantAccess(url: "file:///storage/a%20b.txt", storagePath: "a b.txt", file: file),
                "bare": GrantAccess(url: "file:///elsewhere", storagePath: nil, file: nil),
            ]),
        MessageExamples(RefuseAccess.self, ["": RefuseAccess("a.txt is not inside documentStorageURL")]),
        MessageExamples(EndPicker.self, ["": EndPicker()]),
        MessageExamples(
            PrepareAction.self,
            [
                "full": PrepareAction(action: "rename", items: ["1", "日"], domain: "work"),
                "bare": PrepareAction(action: "rename", items: [], domain: nil),
            ]),
        MessageExamples(
            PrepareForError.self,
            [
                "full": PrepareForError(
                    errorDomain: "NSFileProviderErrorDomain", code: -1000, text: "Log in", domain: "work"),
                "bare": PrepareForError(errorDomain: "test", code: 7, text: nil, domain: nil),
            ]),
    ]
}
