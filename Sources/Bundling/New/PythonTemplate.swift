// PythonTemplate: the files of a new extension in Python, which needs no build.

import ExtensionPoints

struct PythonTemplate {
    let project: NewProject

    private var name: String { project.name }
    private var program: String { "\(name.lowercased()).py" }

    var files: [NewProject.File] {
        [
            .init(path: ".gitignore", text: ".build\n__pycache__\n"),
            .init(path: "README.md", text: readMe),
            project.scenario(acts: []),
            .init(
                path: "\(name)App/Info.plist",
                text: project.information(of: name, identifier: project.identifier, executable: nil, declaration: "")),
            .init(path: "\(name)App/Entitlements.plist", text: project.entitlements()),
            .init(path: "\(name)/\(program)", text: source, isProgram: true),
            .init(path: "\(name)/exthost.py", text: String(decoding: PackageResources.exthost_py, as: UTF8.self)),
            .init(
                path: "\(name)/Info.plist",
                text: project.information(
                    of: name, identifier: project.extensionIdentifier, executable: program,
                    declaration: project.declaration(principalClass: nil))),
            .init(path: "\(name)/Entitlements.plist", text: project.entitlements()),
            .init(path: "Tests/test_\(name.lowercased()).py", text: test),
        ]
    }

    private var source: String {
        """
        #!/usr/bin/env python3
        # \(name): counts the words of the text that it is given.

        import exthost


        def begin(context):
            texts = [
                provider
                for item in context.items
                for provider in exthost.attachments(item)
                if "public.plain-text" in provider["types"]
            ]
            if not texts:
                return context.cancel(exthost.error("\(project.identifier)", 1, "there is no text in it"))

            def count(data, failure):
                if failure:
                    return context.cancel(exthost.error("\(project.identifier)", 2, f"the text did not come: {failure}"))
                text = data.decode("utf-8", "replace")
                context.complete([exthost.item({"words": len(text.split())})])

            # As bytes, whatever the host has: text, data, or a file.
            context.load(texts[0], "public.plain-text", count, form="data")


        exthost.run(begin)

        """
    }

    private var test: String {
        """
        # The extension in its app, run by a daemon of the test's own.

        import json
        import os
        import subprocess
        import unittest

        FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


        class \(name)Tests(unittest.TestCase):
            def test_words_are_counted(self):
                run = subprocess.run(
                    ["exthostctl", "run", FOLDER, "--text", "hello brave world", "--json", "--quiet"],
                    capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stderr + run.stdout)
                self.assertEqual(json.loads(run.stdout)["items"][0]["userInfo"], {"words": 3})


        if __name__ == "__main__":
            unittest.main()

        """
    }

    private var readMe: String {
        """
        # \(name)

        An extension in Python: \(project.summary).

        ```console
        $ exthostctl run . \(project.payload)
        $ exthostctl test \(name).scenario
        $ python3 -m unittest discover Tests
        $ exthostctl bundle
        ```

        Python needs no compiler. The first command bundles and runs the extension, and prints all events. The second
        runs the scenario and checks its expectations. `exthostctl`, `exthostd` and `exthost-init` must be on the
        `PATH`.

        | file | what it is |
        | --- | --- |
        | `\(name)` | the extension: its script, the protocol for it (`exthost.py`), `Info.plist` and entitlements |
        | `\(name)App` | the app that contains it; it has no program |
        | `\(name).scenario` | its tests, line by line |
        | `Tests` | a test in Python that runs it |

        """
    }
}
