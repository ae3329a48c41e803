// LayerTests: which layers there are, what is done when one is missing, and that a confined tree ends like any other.

import Foundation
import Glibc
import LinuxSystem
import Testing

@Suite struct LayerTests {
    private static let found = ConfinementProbe(initProgram: initProgram).found

    private func confined(_ script: String, _ layers: ConfinementLayers) -> SpawnAttributes {
        var attributes = shell(script)
        attributes.workingDirectory = "/"
        attributes.confinement = Confinement(layers: layers)
        attributes.enclosure =
            layers.namespaces ? .processNamespace(initProgram: initProgram) : .guardian(program: initProgram)
        return attributes
    }

    private static let several: [ConfinementLayers] = Column.allCases.map { $0.layers(of: found) }.filter {
        !$0.isEmpty
    }

    @Test func layersAreWrittenAndRead() {
        for text in ["none", "seccomp", "landlock:7", "namespaces,landlock:7,seccomp", "namespaces,seccomp"] {
            #expect(ConfinementLayers(text)?.description == text)
        }
        for text in ["", "landlock", "landlock:0", "landlock:x", "namespaces,", "all"] {
            #expect(ConfinementLayers(text) == nil)
        }
        let all = ConfinementLayers(namespaces: true, landlock: 7, seccomp: true)
        #expect(all.includes(ConfinementLayers(landlock: 6)) && !ConfinementLayers(landlock: 6).includes(all))
    }

    @Test func theProbeFindsWhatThisMachineHas() {
        let probe = ConfinementProbe(initProgram: initProgram)
        #expect(probe.found.landlock == min((try? KernelCapabilities.landlockVersion()) ?? 0, 7))
        #expect(probe.found.seccomp == KernelCapabilities.hasSeccompFilters)
        // Only what was asked for.
        let one = ConfinementProbe(initProgram: initProgram, wanted: ConfinementLayers(seccomp: true))
        #expect(one.found == ConfinementLayers(seccomp: probe.found.seccomp))
    }

    @Test func aProbeWithoutItsProgramFindsNothingAndSaysWhy() throws {
        let probe = ConfinementProbe(initProgram: "/nowhere/init")
        #expect(probe.found == .none && probe.problems.count >= 2)
        #expect(throws: ConfinementMissing.self) { try probe.layers(.required) }
        #expect(try probe.layers(.best) == .none)
        #expect(try ConfinementProbe(initProgram: initProgram).layers(.none) == .none)
    }

    @Test func fewerLayersThanRequiredAreAnErrorThatNamesThem() throws {
        // As on a machine without Landlock.
        let probe = ConfinementProbe(
            initProgram: initProgram, wanted: ConfinementLayers(namespaces: true, seccomp: true))
        #expect(try probe.layers(.best) == probe.found)
        do {
            _ = try probe.layers(.required)
            Issue.record("nothing was missing")
        } catch {
            #expect("\(error)".contains("landlock") && "\(error)".contains("\(probe.found)"))
        }
    }

    @Test func aLayerThatCannotBePutOnKeepsTheProgramFromStarting() throws {
        // No exthost-init can confine without being asked in a way that holds the program.
        var attributes = confined("exit 0", ConfinementLayers(seccomp: true))
        attributes.enclosure = .session
        #expect(throws: SpawnError.self) { _ = try spawn(attributes) }
        attributes = confined("exit 0", ConfinementLayers(namespaces: true))
        attributes.enclosure = .guardian(program: initProgram)
        #expect(throws: SpawnError.self) { _ = try spawn(attributes) }
        // What a policy names of the system must be there.
        #expect(throws: SystemError("open", code: ENOENT)) { try ViewFile("/nowhere/bundle") }
    }

    /// What a run puts in the place of its temporary folder is not what the next one is given.
    @Test func aFolderThatWasReplacedByALinkIsNotFollowed() throws {
        let outside = try Outside(program: hostileProgram, in: "/var/tmp")
        try FileManager.default.removeItem(atPath: outside.container + "/tmp")
        symlink(outside.folder.path + "/victims", outside.container + "/tmp")
        #expect(throws: SystemError("openat2", code: ELOOP)) { try ViewFile(outside.container).file("tmp") }
    }

    /// What is opened and checked is what is shown, whatever its name leads to since.
    @Test(arguments: several) func aNameThatLeadsElsewhereSinceItWasOpenedOpensNothing(_ layers: ConfinementLayers)
        throws
    {
        guard layers.namespaces || layers.landlock > 0 else { return }
        let folder = try TemporaryDirectory(prefix: "exthost-flip", in: "/var/tmp")
        defer { try? folder.remove() }
        for name in ["shown", "secret"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
            try Data("\(name)\n".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)/text"))
        }
        let link = folder.path + "/link"
        try #require(symlink("shown", link) == 0)
        var attributes = confined("cat \(link)/text \(folder.path)/secret/text 2>/dev/null", layers)
        attributes.confinement?.readable = [try ViewFile(link)]
        try #require(unlink(link) == 0 && symlink("secret", link) == 0)
        // Without a view the name is the host's, and what it leads to now is closed.
        #expect(try run(attributes).output == (layers.namespaces ? "shown\n" : ""))
        // The folder itself is shown where it lies now, and not what lies in its place.
        try #require(unlink(link) == 0 && rename(folder.path + "/shown", folder.path + "/moved") == 0)
        try #require(rename(folder.path + "/secret", link) == 0)
        #expect(try run(attributes).output == (layers.namespaces ? "shown\n" : ""))
    }

    @Test func aWorkingDirectoryOutsideOfTheViewIsAnError() throws {
        guard Self.found.namespaces else { return }
        var attributes = confined("exit 0", Self.found)
        attributes.workingDirectory = "/var"
        let expected = SystemError("confinement by namespaces, the working directory", code: ENOENT)
        #expect(try run(attributes).ending.status == .notStarted(expected))
    }

    /// A kernel of before would not know it, and somebody else's policy is not for us.
    @Test(arguments: [
        "", "exthost-policy-2\0", "exthost-policy-1\0layer\0namespaces\0", "exthost-policy-1\0layer\0walls\0\0",
        "exthost-policy-1\0read\0usr\0\0", "exthost-policy-1\0open\0/usr\0\0", "exthost-policy-1\0read\0/usr\0",
        "exthost-policy-1\0layer\0landlock\00\0", String(repeating: "exthost-policy-1\0", count: 40_000),
        "exthost-policy-1\0" + String(repeating: "read\0/usr\0\0", count: 257),
        // A number of no descriptor, none at all, and a standard stream.
        "exthost-policy-1\0read\0/usr\0x\0", "exthost-policy-1\0read\0/usr\0999\0", "exthost-policy-1\0read\0/usr\02\0",
        "exthost-policy-1\0write\0/usr\0\0", "exthost-policy-1\0place\0/tmp\0/usr\0",
        "exthost-policy-1\0write\0/usr\0-1\0",
    ]) func aPolicyThatIsNotUnderstoodRefusesTheLaunch(_ text: String) throws {
        let pair = try SocketPair()
        let policy = try SealedMemory.make(Array(text.utf8))
        var attributes = SpawnAttributes(
            executable: initProgram, arguments: ["guardian", "3,4", "--", "/bin/sh", "-c", "exit 7"])
        attributes.descriptors = [.init(parent: pair.second.raw, child: 3), .init(parent: policy.raw, child: 4)]
        #expect(try run(attributes).ending.status == .exited(127))
        var bytes = [UInt8](repeating: 0, count: 16)
        guard case .packet(let count, _) = try bytes.withUnsafeMutableBytes({ try pair.first.receive(into: $0) }) else {
            Issue.record("no report")
            return
        }
        let number = bytes.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) }
        #expect(count == 4 && -number / 4096 == 1)
    }

    @Test(arguments: several) func exitCodesAndSignalsComeThrough(_ layers: ConfinementLayers) throws {
        #expect(try run(confined("exit 7", layers)).ending.status == .exited(7))
        #expect(try run(confined("kill -TERM $$", layers)).ending.status == .signalled(SIGTERM, coreDumped: false))
        var attributes = SpawnAttributes(executable: "/usr/bin/nowhere", workingDirectory: "/")
        attributes.confinement = confined("", layers).confinement
        attributes.enclosure = confined("", layers).enclosure
        #expect(try run(attributes).ending.status == .notStarted(SystemError("execve", code: ENOENT)))
    }

    @Test(arguments: several) func aConfinedTreeIsStoppedAndKilledAsAWhole(_ layers: ConfinementLayers) throws {
        try start(confined("setsid sh -c 'sleep 1000 & echo escaped' & wait; sleep 1000", layers)) {
            (process, socket) throws in
            #expect(try line(from: socket) == "escaped")
            try process.signalTree(SIGSTOP)
            try process.signalTree(SIGCONT)
            #expect(try process.signalTree(SIGKILL))
            #expect(try output(of: socket) == "")
            _ = try ending(of: process)
        }
    }

    @Test(arguments: several) func aConfinedTreeDiesWithTheSpawningThread(_ layers: ConfinementLayers) async throws {
        let (directory, program) = try reachableInit()
        let text = layers.description
        await #expect(processExitsWith: .success) { [program = program as String, text = text as String] in
            try becomeOrdinaryUser()
            let layers = try #require(ConfinementLayers(text))
            var attributes = SpawnAttributes(executable: "/bin/sleep", arguments: ["1000"], workingDirectory: "/")
            attributes.confinement = Confinement(layers: layers)
            attributes.enclosure =
                layers.namespaces ? .processNamespace(initProgram: program) : .guardian(program: program)
            let status = try ending(of: try spawnOnShortLivedThread(attributes)).status
            #expect(status == (layers.namespaces ? .signalled(SIGKILL, coreDumped: false) : .exited(0)))
        }
        try directory.remove()
    }

    @Test(arguments: several) func theProgramHasNoCapabilityAndGainsNone(_ layers: ConfinementLayers) throws {
        // By the shell itself: its children's entries of /proc are closed where there is no view.
        let script =
            "while read line; do case $line in Cap*|NoNew*|Seccomp:*) echo $line;; esac; done < /proc/self/status"
        let output = try run(confined(script, layers)).output
        for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
            #expect(output.contains("\(set): 0000000000000000"), "\(layers)")
        }
        if geteuid() == 0 { #expect(output.contains("CapBnd: 0000000000000000")) }
        #expect(output.contains("NoNewPrivs: 1"))
        #expect(output.contains("Seccomp: \(layers.seccomp ? 2 : 0)"))
    }
}
