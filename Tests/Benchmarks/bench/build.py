"""build: makes the programs of the benchmarks: release builds of the project, and the programs for comparison."""

import os
import pathlib
import shutil
import subprocess

BENCHMARKS = pathlib.Path(__file__).resolve().parent.parent
ROOT = BENCHMARKS.parent.parent
FOLDER = ROOT / ".build-bench"
SOURCES = BENCHMARKS / "Programs"

C = {
    "harness": "",
    "relay": "",
    "idle": "",
    "deadline": "",
    "bulk": "",
    "tun": "",
    "bus": "libsystemd",
    "plist": "libplist-2.0",
    "walk": "libplist-2.0",
}
LINKS = {"Dynamic": [], "Stdlib": ["-static-stdlib"], "Static": ["-static-executable"]}
FOUND = {"dbus-daemon": "dbus-daemon", "python": "python3"}


class NotHere(Exception):
    """A program that is not available on this machine, and what it lacks."""


class Programs:
    def __init__(self, say=print, quick=False):
        self.folder, self.say, self.quick, self.missing = FOLDER / "programs", say, quick, {}
        self.release = FOLDER / "release"

    def path(self, name):
        if name in self.missing:
            raise NotHere(self.missing[name])
        if name in FOUND:
            found = shutil.which(FOUND[name])
            if not found:
                raise NotHere(FOUND[name])
            return found
        for folder in self.folder, self.release:
            if (folder / name).exists():
                return str(folder / name)
        raise NotHere(f"{name} was not built")

    def build(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.run(["swift", "build", "-c", "release", "--package-path", str(BENCHMARKS), "--scratch-path", str(FOLDER)])
        self.build_swift()
        for name, library in C.items():
            self.build_c(name, library)
        self.build_go()

    def run(self, command, **more):
        line = " ".join(command).splitlines()[0]
        self.say(f"# {line if len(line) < 100 else line[:99] + '…'}")
        result = subprocess.run(command, capture_output=True, text=True, **more)
        if result.returncode:
            raise SystemExit(f"bench: {line} failed:\n{result.stdout[-4000:]}{result.stderr[-4000:]}")
        return result.stdout

    def build_swift(self):
        """Builds single-file programs on the modules of rules, apart from the package."""
        sources = [*SOURCES.glob("*.swift"), *(BENCHMARKS / "Rules").iterdir()]
        for module in (
            "PropertyListCoding",
            "UniformTypeIdentifiers",
            "ActivationRules",
            "ContentRules",
            "SQLite",
            "SpotlightStore",
        ):
            sources += (ROOT / "Sources" / module).rglob("*.swift")
        built = self.folder / "BareChildStatic"
        if built.exists() and built.stat().st_mtime > max(source.stat().st_mtime for source in sources):
            return
        lines = [f'root={ROOT}; . "$root/Tests/Benchmarks/Rules/build"; build_rules']
        for name in "RuleBench", "MatchSketch", "BlockerBench", "SearchBench":
            lines.append(
                f'build_program "$root/Tests/Benchmarks/Rules/{name}.swift" && mv "$build/{name}" "{self.folder}"'
            )
        lines.append(f'build_program "{SOURCES}/CodecBench.swift" && mv "$build/CodecBench" "{self.folder}"')
        for link, flags in LINKS.items():
            lines.append(
                f'build_program "{SOURCES}/BareChild.swift" {" ".join(flags)} '
                f'&& mv "$build/BareChild" "{self.folder}/BareChild{link}"'
            )
        self.run(["bash", "-euo", "pipefail", "-c", "\n".join(lines)])

    def build_c(self, name, library):
        source, built = SOURCES / f"{name}.c", self.folder / name
        flags = ""
        if library:
            found = subprocess.run(["pkg-config", "--cflags", "--libs", library], capture_output=True, text=True)
            if found.returncode:
                self.missing[name] = library
                return
            flags = found.stdout
        headers = max(header.stat().st_mtime for header in SOURCES.glob("*.h"))
        if not built.exists() or built.stat().st_mtime < max(source.stat().st_mtime, headers):
            self.run(["cc", "-O2", "-Wall", "-o", str(built), str(source), *flags.split()])

    def build_go(self):
        """Builds with Debian's libraries, and downloads no module."""
        go, source, built = shutil.which("go"), BENCHMARKS / "goplugin", self.folder / "goplugin"
        if not go:
            self.missing["goplugin"] = "go"
        elif not pathlib.Path("/usr/share/gocode/src/github.com/hashicorp/go-plugin").exists():
            self.missing["goplugin"] = "golang-github-hashicorp-go-plugin-dev"
        elif not built.exists() or built.stat().st_mtime < (source / "main.go").stat().st_mtime:
            self.run(
                [go, "build", "-o", str(built), "."],
                cwd=source,
                env=os.environ | {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": ""},
            )
