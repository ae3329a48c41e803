// PytestTests: the kit for pytest, run by pytest on a package in Python.

import Foundation
import LinuxSystem
import TestPrograms
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
        (try? Program.status(of: "/usr/bin/python3", ["-c", "import " + builders.joined(separator: ", ")])) == 0
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

    private static let calling = #"""
        import datetime, pathlib
        import pytest
        from exthost_testing import CallError

        CALLER = "org.exthost.tests.caller"
        pytestmark = pytest.mark.exthost(
            applications=["BUNDLES"], options=["--extension-points", "BUNDLES/points"], clock="virtual")


        def test_values(exthost):
            request = exthost.begin(CALLER, calls=True)
            echo = {"text": "hällo", "number": -7, "bytes": b"\0\xff", "list": {"a": [1.0, 2.5]}}
            assert request.call("test.echo", echo) == echo
            assert request.call("test.echo", {"text": "x" * 200_000})["text"] == "x" * 200_000
            request.end()
            exthost.expect("cancelled", request, cause="cancelledByHost")
            with pytest.raises(RuntimeError, match="makes no more calls"):
                request.call("test.echo", echo)


        def test_errors(exthost):
            request = exthost.begin(CALLER, calls=True)
            with pytest.raises(CallError, match="CallerError 7: No luck") as failed:
                request.call("test.end", {"way": "fail"})
            assert (failed.value.domain, failed.value.code, failed.value.name) == ("CallerError", 7, None)
            with pytest.raises(CallError, match="handlerDropped: Caller.drop"):
                request.call("test.end", {"way": "drop"})
            with pytest.raises(CallError) as refused:
                request.call("test.unlisted")
            assert refused.value.name == "notPermitted" and "Accepts" in refused.value.remedy
            with pytest.raises(CallError) as wrong:
                request.call("test.echo", {"text": 1})
            assert wrong.value.name == "invalidArgument"
            with pytest.raises(CallError) as over:
                request.call("test.end", {"way": "exit"})
            assert over.value.name == "interrupted"
            exthost.expect("interrupted", request, cause="exitedEarly")


        def test_parts_and_files(exthost, tmp_path):
            request = exthost.begin(CALLER, calls=True)
            count = request.start_call("test.count", {"upTo": 20})
            assert [part["number"] for part in count.parts()] == list(range(1, 21))
            assert count.result() == {"sum": 210}
            (tmp_path / "letter").write_text("twice ")
            double = request.start_call("test.double", {"file": tmp_path / "letter"})
            double.result()
            assert [pathlib.Path(file).read_text() for file in double.files] == ["twice twice "]


        def test_time(exthost):
            request = exthost.begin(CALLER, calls=True)
            late = request.start_call("test.end", {"way": "hang"}, limit=30, grace=2)
            exthost.wait_for(lambda event: event["event"] == "call.started")
            exthost.advance(31)
            assert request.call("test.history")["expired"] == 1
            exthost.advance(1)
            with pytest.raises(CallError) as over:
                late.result()
            assert over.value.name == "timedOut"
            other = request.start_call("test.end", {"way": "hang"})
            assert request.call("test.history")["hanging"] == 2
            other.cancel()
            with pytest.raises(CallError) as cancelled:
                other.result()
            assert (cancelled.value.domain, cancelled.value.code) == ("NSCocoaErrorDomain", 3072)
            assert other.result is not None and request.call("test.history")["cancelled"] == 2


        def test_calls_of_the_extension(exthost):
            def answer(arguments):
                return {"text": arguments["text"] + " Me."}

            request = exthost.begin(CALLER, handlers={"test.question": answer})
            assert request.call("test.ask", {"name": "test.question"})["text"] == "Who is it? Me."


        def test_a_handler_fails_by_its_error(exthost):
            def refuse(arguments):
                raise CallError("Mine", 4, "Not you")

            request = exthost.begin(CALLER, handlers={"test.question": refuse})
            with pytest.raises(CallError, match="Mine 4: Not you"):
                request.call("test.ask", {"name": "test.question"})


        def test_a_handler_that_breaks_fails_the_test(exthost):
            def check(arguments):
                assert arguments["text"] == "another"

            request = exthost.begin(CALLER, handlers={"test.question": check})
            with pytest.raises(AssertionError, match="another"):
                request.call("test.ask", {"name": "test.question"})


        def test_without_a_handler(exthost):
            request = exthost.begin(CALLER, calls=True)
            with pytest.raises(CallError, match="notImplemented: .*test.question"):
                request.call("test.ask", {"name": "test.question"})
            silent = exthost.begin(CALLER)
            with pytest.raises(RuntimeError, match="calls=True"):
                silent.call("test.echo", {"text": "a"})


        @pytest.mark.parametrize("point, answers", [("call", False), ("called", True)])
        def test_faults(exthost, point, answers):
            exthost.control("fault", "add", "kill", "at", point)
            request = exthost.begin(CALLER, calls=True)
            call = request.start_call("test.echo", {"text": "a"})
            if answers:
                assert call.result()["text"] == "a"
            else:
                with pytest.raises(CallError, match="interrupted"):
                    call.result()
            exthost.expect("interrupted", request, cause="crashed")
        """#

    // spec: PC-1, PC-6, PC-7, PC-8
    @Test("PC-1, PC-6, PC-7, PC-8: a test in Python makes and answers the calls of an extension point")
    func aTestMakesCalls() async throws {
        defer { try? folder.remove() }
        let bundles = try CallTests.bundles()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/Words/Tests", withIntermediateDirectories: true)
        try write("Tests/exthost_testing.py", try TestBundles.source("Sources/Pytest/exthost_testing.py"))
        try write("Tests/conftest.py", "from exthost_testing import *\n")
        try write("Tests/test_calls.py", Self.calling.replacing("BUNDLES", with: bundles.path))
        let ending = try await run()
        #expect(ending.status == 0 && ending.output.contains("10 passed"), "\(ending.output)")
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
