# exthost_testing: a private exthostd for each test of pytest; copy it beside the tests.
"""In `conftest.py`: `from exthost_testing import *`. A test then uses the fixture `exthost`:

    @pytest.mark.exthost(package=__file__, clock="virtual")
    def test_it_answers(exthost):
        request = exthost.begin("org.example.words", "--text", "hello")
        assert exthost.expect("completed", request)["items"]

`package` is a path in the extension's package; the kit builds and bundles it once a test run. `applications` are built
apps. An app that is older than its sources is a warning, and with `CI=true` an error.

The daemon has its own folder and socket. It stops when its standard input closes, which this process holds. So it stops
with the test in every case. A failure shows the timeline. `exthostd` is `$EXTHOSTD`, or the one on `PATH`; `exthostctl`
must be beside it.
"""

import base64
import datetime
import itertools
import json
import math
import os
import pathlib
import queue
import shutil
import stat
import subprocess
import tempfile
import threading
import warnings

import pytest

__all__ = ["Call", "CallError", "Daemon", "Request", "exthost", "pytest_configure", "pytest_runtest_makereport"]


def _programs():
    """Returns the paths of exthostd and exthostctl."""
    daemon = os.environ.get("EXTHOSTD") or shutil.which("exthostd")
    if not daemon:
        raise RuntimeError("exthostd was not found: set EXTHOSTD, or put it on PATH")
    beside = pathlib.Path(daemon).with_name("exthostctl")
    return daemon, str(beside) if beside.exists() else "exthostctl"


_bundled = {}  # by package: the folder of its apps, until this process ends


def _bundle(package):
    """Builds the package of a path and bundles its apps, once a test run. Returns the folder of the apps."""
    start = pathlib.Path(package).resolve()
    for folder in (start, *start.parents):
        is_package = (folder / "Package.swift").exists()
        if is_package or any(folder.glob("*/Info.plist")):
            break
    else:
        raise RuntimeError(
            f"no folder above {package} has a Package.swift, or folders with an Info.plist: "
            "name the extension's package"
        )
    if folder not in _bundled:
        output = tempfile.TemporaryDirectory(prefix="exthost-pytest-")
        # With this option the build is the same as for `swift build` and `swift test`.
        words = [
            _programs()[1],
            "bundle",
            str(folder),
            *(["--dynamic"] if is_package else []),
            "--json",
            "--output",
            output.name,
        ]
        ending = subprocess.run(words, stdout=subprocess.PIPE, text=True)
        if ending.returncode != 0:
            try:
                faults = [fault for fault in json.loads(ending.stdout)["findings"] if fault["severity"] == "error"]
            except ValueError:
                faults = []
            lines = [f"{fault['file']}:{fault['line'] or 1}: {fault['message']}. {fault['remedy']}" for fault in faults]
            raise RuntimeError("\n".join([f"{folder} cannot be bundled (status {ending.returncode})", *lines]))
        _bundled[folder] = output
    return _bundled[folder].name


def _stamp(path):
    status = os.stat(path)
    return {"size": status.st_size, "modified": status.st_mtime_ns} if stat.S_ISREG(status.st_mode) else None


def _difference(app):
    """Describes the first source of an app that has changed since the app was made.

    Returns None if no source has changed, or if the app has no list of sources.
    """
    try:
        with open(os.path.join(app, "SourceStamps.json"), encoding="utf-8") as file:
            stamps = json.load(file)
        project, then, queue = stamps["project"], stamps["files"], list(stamps["folders"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not os.path.isdir(project):
        return None
    paths = set(then)
    while queue:
        try:
            entries = list(os.scandir(queue.pop()))
        except OSError:
            continue
        for entry in entries:
            name = entry.name
            if name.startswith(".") or name == "__pycache__" or name.endswith(("~", ".pyc", ".app", ".appex")):
                continue
            if entry.is_dir(follow_symlinks=False):
                queue.append(entry.path)
            elif entry.is_file():
                paths.add(entry.path)
    for path in sorted(paths):
        try:
            now = _stamp(path)
        except OSError:
            now = None
        if now != then.get(path):
            return f"{path} was {'added' if path not in then else 'changed' if now else 'removed'} since"
    return None


def _stale(applications):
    """Returns a line for each app in folders that is older than its sources. With `CI=true`, the first is an error."""
    lines = []
    for folder in map(pathlib.Path, applications):
        for app in [folder] if folder.suffix == ".app" else sorted(folder.glob("*.app")):
            difference = _difference(app)
            if difference is None:
                continue
            line = (
                f"the app {app} is older than its sources: {difference}. "
                "Bundle it again with exthostctl bundle; "
                "a mark with package=__file__ instead of applications does this itself"
            )
            if os.environ.get("CI") == "true":
                raise RuntimeError(line)
            warnings.warn(line, stacklevel=3)
            lines.append(f"warning: {line}\n")
    return lines


class Daemon:
    """A private daemon, for `with`, and for one thread at a time.

    `package` is a path in the package under test; the kit builds and bundles its apps first. `applications` are `.app`
    bundles, or folders of them. With `clock="virtual"`, only `advance` moves the time. `options` are further options of
    exthostd.
    """

    def __init__(self, applications=(), clock="real", options=(), package=None):
        program, self._tool = _programs()
        self._warnings = _stale(applications)
        if package is not None:
            applications = [*applications, _bundle(package)]
        words = [program, "--ephemeral", "--clock", clock]
        for folder in applications:
            words += ["--applications", str(folder)]
        self._hosts = itertools.count(1)
        self._requests = []
        self._process = subprocess.Popen([*words, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{program} did not start (status {self._process.wait()}): the reason is above")
        greeting = json.loads(line)
        self.socket, self.bus, self.pid = greeting["socket"], greeting["bus"], greeting["pid"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def control(self, *words, limit=60):
        """Returns the output of `exthostctl WORDS --json`: an object, or a list of lines.

        A failure raises RuntimeError.
        """
        ending = subprocess.run(self._words(*words), capture_output=True, text=True, timeout=limit)
        if ending.returncode not in (0, 1, 10, 11, 12, 13):  # the statuses of outcomes and findings
            raise RuntimeError(
                f"exthostctl {' '.join(map(str, words))}: {ending.stderr.strip()} (status {ending.returncode})"
            )
        try:
            return json.loads(ending.stdout)
        except ValueError:
            return [json.loads(line) for line in ending.stdout.splitlines() if line]

    def _words(self, *words):
        return [self._tool, *map(str, words), "--json", "--socket", self.socket]

    def begin(self, extension, *payload, calls=False, handlers=None):
        """Begins a request with the items of `exthostctl run` (`"--text", "hello"`). Returns once the extension has it,
        or it has ended.

        With `calls`, the test calls the extension (`Request.call`). `handlers` are functions by the names of the
        extension's calls: each gets the arguments and returns the value, or raises CallError. It runs on a thread of
        its own; another exception fails the test.

        Raises ValueError for an option that the kit sets itself. Raises RuntimeError with exthostctl's message if the
        request does not begin.
        """
        words = iter(map(str, payload))
        for word in words:
            if word.split("=")[0] in self._own_options:
                raise ValueError(f"{word} is not for begin, which sets {', '.join(self._own_options)} itself: omit it")
            if "=" not in word and word not in self._flags:
                next(words, None)  # its value, which may begin like an option
        host = f"pytest-{next(self._hosts)}"
        # The test limits its own wait. The test's option for the request's time comes last, so it counts.
        words = ["run", extension, "--timeout", "none", *payload, "--host", host, "-q"]
        if calls or handlers is not None:
            request = CallingRequest(self._words(*words), handlers or {}, self.timeline)
        else:
            request = Request(self._words(*words))
        self._requests.append(request)
        ends = {
            "request.delivered",
            "request.completed",
            "request.cancelled",
            "request.interrupted",
            "request.timedOut",
            "request.refused",
        }
        if self._wait(lambda event: event.get("host") == host and event["event"] in ends, 60, request) is None:
            request.result()  # raises if exthostctl rejected the options
        return request

    _own_options = ("--host", "--socket", "--json", "--quiet", "-q", "--ephemeral", "--user", "--system", "--calls")
    _flags = ("--item", "--force", "--wait-exit", "--wait-for-debugger", "--interactive")

    def expect(self, outcome, request, cause=None, limit=60):
        """Waits for the end of the request, and returns the output of `run --json`.

        Any other outcome fails the test with cause, remedy and timeline.
        """
        __tracebackhide__ = True
        try:
            result = request.result(limit)
        except subprocess.TimeoutExpired:
            pytest.fail(f"expected {outcome}, and found no outcome within {limit} s\ntimeline:\n{self.timeline()}")
        if result["outcome"] != outcome or cause not in (None, result["cause"]):
            wanted = outcome + (f" ({cause})" if cause else "")
            error = result.get("error") or {}
            why = "\n".join(filter(None, [error.get("description"), request.words]))
            pytest.fail(
                f"{result['extension']}: expected {wanted}, and found {result['outcome']} ({result['cause']})\n"
                f"why: {why or 'see the timeline'}\ntimeline:\n{self.timeline()}"
            )
        return result

    def advance(self, seconds):
        """Advances a virtual clock, timer by timer."""
        self.control("clock", "advance", seconds)

    def events(self):
        """Returns every event that the daemon has stored, in order."""
        found = self.control("watch", "--since", "0", "--no-follow")
        return found if isinstance(found, list) else [found]

    def wait_for(self, condition, limit=60):
        """Waits for an event with `condition(event)`, and returns it. The event may have happened already."""
        return self._wait(condition, limit)

    def _wait(self, condition, limit, request=None):
        """Waits like `wait_for`, but returns None if `request` ends without such an event."""
        watch = subprocess.Popen(self._words("watch", "--since", "0"), stdout=subprocess.PIPE, text=True)
        bound = threading.Timer(limit, watch.kill)
        bound.start()
        if request is not None:
            threading.Thread(target=lambda: (request.ended(), watch.kill()), daemon=True).start()
        try:
            for line in watch.stdout:
                event = json.loads(line)
                if condition(event):
                    return event
        finally:
            bound.cancel()
            watch.kill()
            watch.wait()
            watch.stdout.close()
        if request is not None and request.has_ended:
            return None
        raise AssertionError(f"no such event within {limit} s; timeline:\n{self.timeline()}")

    def timeline(self):
        """Returns the warnings, then all events so far, one per line."""
        words = [self._tool, "watch", "--since", "0", "--no-follow", "--socket", self.socket]
        return "".join(self._warnings) + subprocess.run(words, capture_output=True, text=True, timeout=60).stdout

    def stop(self):
        """Stops the daemon in order, and checks that the daemon has removed its folder."""
        if self._process.returncode is not None:
            return
        folder = pathlib.Path(self.socket).parent
        self._process.stdin.close()
        try:
            status = self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise
        finally:
            self._process.stdout.close()
            for request in self._requests:
                request.close()
        assert status == 0, f"exthostd exited with status {status}: the reason is on standard error"
        assert not folder.exists(), f"exthostd did not remove {folder}"


class Request:
    """A running request: an `exthostctl run` that acts as its host."""

    def __init__(self, words):
        self._process = self._start(words)
        self._output = None
        self.words = ""

    def _start(self, words):
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    @property
    def has_ended(self):
        return self._process.poll() is not None

    def ended(self):
        """Waits for the end of the request, without a time limit."""
        self._process.wait()

    def result(self, limit=60):
        """Waits for the outcome, and returns the output of `exthostctl run --json`."""
        if self._output is None:
            self._output, self.words = self._read(limit)
        try:
            report = json.loads(self._output)
        except ValueError:
            report = {}
        # If exthostctl rejected the options, its output has an error and no outcome.
        if "outcome" not in report:
            raise RuntimeError(f"the request did not begin: {self.words.strip()}")
        return report

    def _read(self, limit):
        return self._process.communicate(timeout=limit)

    def start_call(self, name, arguments=None, limit=None, grace=None):
        raise RuntimeError("the request makes no calls: begin it with calls=True, or with handlers")

    def call(self, name, arguments=None, limit=None, grace=None):
        """Calls the extension, and returns the value of its answer. The extension point lists the name.

        `arguments` is a dictionary. In it and in values, data is bytes, a date is an aware `datetime`, and a
        `pathlib.Path` is a file that the host lends. `limit` and `grace` are the call's time limits in seconds, on the
        daemon's clock. Raises CallError for an error, and AssertionError without an answer within a minute.
        """
        return self.start_call(name, arguments, limit, grace).result()

    def crash(self):
        """Kills the host, as a crash would."""
        self._process.kill()

    def close(self):
        self._process.kill()
        if self._output is None:
            self._read(None)


class CallError(Exception):
    """The error of a call: the author's, by `domain` and `code`, or one of exthostd, which also has a `name` such as
    `timedOut` and often a `remedy`. A handler raises it to answer with an error.
    """

    def __init__(self, domain, code, description="", name=None, remedy=None):
        super().__init__(f"{name or f'{domain} {code}'}: {description}" + (f". {remedy}" if remedy else ""))
        self.domain, self.code, self.description, self.name, self.remedy = domain, code, description, name, remedy


class Call:
    """A call that waits for its answer. `files` has the paths of the files that came with it; they go with the daemon.

    With a virtual clock, `start_call` and `result` leave room for `advance` between them.
    """

    def __init__(self, request, number, name):
        self.files = []
        self._request, self._number, self._name = request, number, name
        self._lines = queue.SimpleQueue()
        self._answer = None

    def parts(self, limit=60):
        """Yields the parts of the answer until the answer comes, each within `limit` seconds of real time."""
        __tracebackhide__ = True
        while self._answer is None:
            try:
                line = self._lines.get(timeout=limit)
            except queue.Empty:
                timeline = self._request.timeline()
                raise AssertionError(f"{self._name}: no answer within {limit} s; timeline:\n{timeline}") from None
            self.files += line.get("files", [])
            if "part" in line:
                yield _decoded(line["value"])
            else:
                self._answer = line
        self._request.check()
        if "error" in self._answer:
            raise CallError(**self._answer["error"])

    def result(self, limit=60):
        """Waits for the answer, and returns its value. Raises CallError for an error."""
        __tracebackhide__ = True
        for _ in self.parts(limit):
            pass
        return _decoded(self._answer["value"])

    def cancel(self):
        """Cancels the call, whose error is then that of a user's cancellation (NSCocoaErrorDomain 3072)."""
        self._request.say({"cancel": self._number})


class CallingRequest(Request):
    """A request whose calls pass as lines of `exthostctl run --calls`."""

    def __init__(self, words, handlers, timeline):
        self._folder = tempfile.TemporaryDirectory(prefix="exthost-pytest-")
        self.timeline, self._handlers, self._failure = timeline, handlers, None
        self._numbers, self._open, self._lock = itertools.count(1), {}, threading.Lock()
        self._rest, self._errors = [], []
        super().__init__([*words, "--calls", "--save", self._folder.name])
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._hear, self._listen)]
        for thread in self._threads:
            thread.start()

    def _start(self, words):
        pipe = subprocess.PIPE
        return subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    def start_call(self, name, arguments=None, limit=None, grace=None):
        """Calls the extension without waiting. Returns a `Call`; calls begin in this order."""
        number = next(self._numbers)
        call = self._open[number] = Call(self, number, name)
        times = {key: value for key, value in (("limit", limit), ("grace", grace)) if value is not None}
        self.say({"call": name, "number": number, "arguments": _encoded(arguments or {}), **times})
        return call

    def end(self):
        """Makes no more calls. The host cancels the request when its calls have ended."""
        with self._lock:
            self._process.stdin.close()

    def say(self, line):
        try:
            with self._lock:
                self._process.stdin.write(json.dumps(line, allow_nan=False) + "\n")
                self._process.stdin.flush()
        except (BrokenPipeError, ValueError) as closed:
            if isinstance(closed, ValueError) and not self._process.stdin.closed:
                raise
            raise RuntimeError("the request has ended, or makes no more calls") from closed

    def check(self):
        if self._failure is not None:
            raise self._failure

    def result(self, limit=60):
        result = super().result(limit)
        self.check()
        return result

    def _read(self, limit):
        self._process.wait(limit)
        for thread in self._threads:
            thread.join()
        with self._lock:
            try:
                self._process.stdin.close()
            except BrokenPipeError:
                pass
        for stream in (self._process.stdout, self._process.stderr):
            stream.close()
        self._folder.cleanup() if limit is None else None
        return "".join(self._rest), "".join(self._errors)

    def _listen(self):
        self._errors += self._process.stderr

    def _hear(self):
        for text in self._process.stdout:
            line = json.loads(text)
            if "part" in line or "answer" in line:
                number = line.get("part", line.get("answer"))
                self._open[number]._lines.put(line)
            elif "call" in line:
                threading.Thread(target=self._perform, args=(line,), daemon=True).start()
            elif "cancelled" not in line:
                self._rest.append(text)
        for call in list(self._open.values()):
            gone = {"domain": "exthostctl", "code": 0, "description": "the request's host has ended"}
            call._lines.put({"error": gone})

    def _perform(self, line):
        answer = {"answer": line["number"]}
        try:
            handler = self._handlers.get(line["call"])
            if handler is None:
                raise CallError("", 0, f"the test has no handler of {line['call']}", name="notImplemented")
            answer["value"] = _encoded(handler(_decoded(line["arguments"])) or {})
        except CallError as error:
            members = (("domain", error.domain), ("code", error.code), ("description", error.description))
            answer["error"] = dict(members, **({"name": error.name} if error.name else {}))
        except BaseException as failure:  # the test's, which `check` raises on the test's own thread
            self._failure = self._failure or failure
            answer["error"] = {"domain": "pytest", "code": 1, "description": repr(failure)}
        try:
            self.say(answer)
        except RuntimeError:  # the request has ended meanwhile
            pass


_FORMS = {"$data", "$date", "$real", "$dictionary", "$file"}
_EPOCH = datetime.datetime(2001, 1, 1, tzinfo=datetime.UTC)


def _encoded(value):
    """Returns a property list in the JSON form of docs/transcripts.md."""
    if isinstance(value, dict):
        members = {key: _encoded(inner) for key, inner in value.items()}
        return {"$dictionary": members} if len(members) == 1 and _FORMS & members.keys() else members
    if isinstance(value, (list, tuple)):
        return [_encoded(inner) for inner in value]
    if isinstance(value, (bytes, bytearray)):
        return {"$data": base64.b64encode(value).decode()}
    if isinstance(value, datetime.datetime):
        return {"$date": (value - _EPOCH).total_seconds()}
    if isinstance(value, pathlib.PurePath):
        return {"$file": os.path.abspath(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return {"$real": str(value)}
    if isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{value!r} is no value of a property list")


def _decoded(value):
    if isinstance(value, list):
        return [_decoded(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((form, inner),) = value.items()
        if form == "$data":
            return base64.b64decode(inner)
        if form == "$date":
            return _EPOCH + datetime.timedelta(seconds=inner)
        if form == "$real":
            return float(inner)
        if form == "$dictionary":
            value = inner
    return {key: _decoded(inner) for key, inner in value.items()}


@pytest.fixture
def exthost(request):
    """Provides a private daemon, with the options of the mark `exthost`."""
    mark = request.node.get_closest_marker("exthost")
    with Daemon(**(mark.kwargs if mark else {})) as daemon:
        yield daemon


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "exthost(package, applications, clock, options): the options of the fixture's daemon"
    )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    daemon = getattr(item, "funcargs", {}).get("exthost")
    # A conftest.py that imports an installed plug-in registers this hook a second time.
    told = "timeline:" in str(report.longrepr) or any(title == "exthost timeline" for title, _ in report.sections)
    if report.when == "call" and report.failed and isinstance(daemon, Daemon) and not told:
        report.sections.append(("exthost timeline", daemon.timeline()))
