// PytestTests: the kit for pytest, run by pytest on a package in Python.

import Foundation
import LinuxSystem
import Testing

@Suite struct PytestTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/Words/\(name)"))
    }

    private func run(_ environment: String = "CI=") async throws -> Shell.Ending {
        try await Shell(folder: folder.path + "/Words").run(
            "\(environment) /usr/bin/python3 -m pytest -q -p no:cacheprovider Tests")
    }

    private func makeWords(_ tests: String, mark: String = "package=__file__") async throws {
        let made = try await Shell(folder: folder.path).run(
            "exthostctl new services Words --language python -q && rm Words/Tests/*.py "
                + "&& cp '\(SampleApplications.root)/Sources/Pytest/exthost_testing.py' Words/Tests")
        try #require(made.status == 0, "\(made)")
        try write("Tests/conftest.py", "from exthost_testing import *\n")
        try write("Tests/test_words.py", Self.testFile(tests, mark: mark))
    }

    private static func testFile(_ tests: String, mark: String = "package=__file__") -> String {
        """
        import json, os, pathlib, subprocess
        import pytest

        WORDS = "org.example.words.extension"
        pytestmark = pytest.mark.exthost(\(mark))


        \(tests)
        """
    }

    private static let builders = ["ensurepip", "setuptools", "wheel", "pytest"]

    /// Whether Debian's Python can make a virtual environment and build the kit in it without a network.
    private static let installsByPip: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", "import " + builders.joined(separator: ", ")]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// A user's virtual environment. The network is the only difference: setuptools and pytest are Debian's.
    @Test(
        .enabled(if: installsByPip, "Debian's python3 lacks \(builders.joined(separator: ", or ")): Scripts/packages"),
        arguments: ["", "--editable"])
    func pipInstallsThePlugin(option: String) async throws {
        defer { try? folder.remove() }
        try await makeWords(Self.counting)
        let shell = Shell(folder: folder.path + "/Words")
        // pip builds in the folder that it installs from, so it gets a copy, with the file that a link stands for.
        let installed = try await shell.run(
            "rm Tests/conftest.py Tests/exthost_testing.py && cp -RL '\(SampleApplications.root)/Sources/Pytest' kit "
                + "&& /usr/bin/python3 -m venv --system-site-packages venv "
                + "&& PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS= "
                + "venv/bin/pip install --no-index --no-build-isolation \(option) ./kit")
        try #require(installed.status == 0, "\(installed)")
        let found = try await shell.run("venv/bin/python -m pytest -q -p no:cacheprovider Tests")
        #expect(found.status == 0 && found.output.contains("2 passed"), "\(found)")
        let version = try await shell.run("exthostd --version")
        let shown = try await shell.run("venv/bin/pip show --files exthost-pytest")
        #expect(shown.output.contains("Version: \(version.output)"), "\(shown)")
        #expect(shown.output.contains("LICENSE\n"), "\(shown)")
        // A conftest.py from before the plug-in changes nothing.
        let failing = Self.counting.replacing("== 3", with: "== 4")
        try write("Tests/conftest.py", "from exthost_testing import *\n")
        try write("Tests/test_words.py", Self.testFile(failing))
        let failed = try await shell.run("venv/bin/python -m pytest -q -p no:cacheprovider Tests")
        #expect(failed.output.contains("1 failed, 1 passed"), "\(failed)")
        #expect(failed.output.ranges(of: " exthost timeline ").count == 1, "\(failed)")
    }

    private static let counting = """
        def test_words(exthost):
            result = exthost.expect("completed", exthost.begin(WORDS, "--text", "a b c"))
            assert result["items"][0]["userInfo"]["words"] == 3


        def test_words_again(exthost):
            exthost.expect("completed", exthost.begin(WORDS, "--text", "--host"))
        """

    @Test func aBrokenExtensionFailsItsTestWithoutAnotherStep() async throws {
        defer { try? folder.remove() }
        try await makeWords(Self.counting)
        let sound = try await run()
        #expect(sound.status == 0 && sound.output.contains("2 passed"), "\(sound)")
        let script = "Words/words.py"
        let text = try String(contentsOfFile: "\(folder.path)/Words/\(script)", encoding: .utf8)
        try #require(text.contains("len(text.split())"))
        try write(script, text.replacing("len(text.split())", with: "7"))
        let broken = try await run("CI=true")
        #expect(broken.status == 1 && broken.output.contains("1 failed, 1 passed"), "\(broken)")
        try write("Words/Info.plist", "<plist")
        let unbundled = try await run()
        #expect(
            unbundled.output.contains("cannot be bundled") && unbundled.output.contains("Words/Info.plist:1: "),
            "\(unbundled)")
    }

    @Test func anOldAppIsAWarningAndAnErrorInContinuousIntegration() async throws {
        defer { try? folder.remove() }
        try await makeWords(
            "def test_timeline(exthost):\n    assert exthost.timeline().startswith('warning: the app ')\n",
            mark: "applications=['.build/bundles']")
        let made = try await Shell(folder: folder.path + "/Words").run(
            "exthostctl bundle -q && echo '# new' >> Words/words.py")
        try #require(made.status == 0, "\(made)")
        let warned = try await run()
        #expect(warned.status == 0 && warned.output.contains("older than its sources: "), "\(warned)")
        #expect(warned.output.contains("/Words/Words/words.py was changed since"), "\(warned)")
        let refused = try await run("CI=true")
        #expect(refused.status == 1 && refused.output.contains("RuntimeError: the app "), "\(refused)")
        let again = try await Shell(folder: folder.path + "/Words").run("exthostctl bundle -q")
        try #require(again.status == 0, "\(again)")
        let current = try await run("CI=true")
        #expect(current.output.contains("1 failed") && !current.output.contains("older than"), "\(current)")
    }

    @Test func beginRefusesWhatExthostctlDoesNotTake() async throws {
        defer { try? folder.remove() }
        try await makeWords(
            """
            @pytest.mark.parametrize("words, error, message", [
                (["--txt", "hello"], RuntimeError, "--txt"), (["--timeout", "soon"], RuntimeError, "soon"),
                (["--file", "/nonexistent"], RuntimeError, "/nonexistent"), (["--host", "me", "--text", "x"], ValueError, "--host"),
                (["--text", "x", "--socket=/x"], ValueError, "--socket"),
            ])
            def test_it_is_refused(exthost, words, error, message):
                with pytest.raises(error, match=message):
                    exthost.begin(WORDS, *words)
            """)
        let ending = try await run()
        #expect(ending.status == 0 && ending.output.contains("5 passed"), "\(ending)")
    }
}
