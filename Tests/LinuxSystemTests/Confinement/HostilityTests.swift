// HostilityTests: the table of docs/confinement.md, row by row: what a hostile program tries, and by which layers it is
// refused.

import Foundation
import Glibc
import LinuxSystem
import Testing

/// One row of the page's table.
struct Attempt: Codable, Sendable {
    let name: String
    /// Refused with all layers, without namespaces, without Landlock, without the filter.
    let all, withoutNamespaces, withoutLandlock, withoutFilter: Bool
    /// Done when not confined: by root, by an ordinary user.
    let byRoot, byUser: Bool

    /// Each row of the page's table "attempt | …".
    static func table() throws -> [Attempt] {
        // This file is Tests/LinuxSystemTests/Confinement/HostilityTests.swift.
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        let text = try String(contentsOfFile: root + "/docs/confinement.md", encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return rows.filter { $0.count == 7 }.map { cells in
            Attempt(
                name: cells[0].trimmingCharacters(in: CharacterSet(charactersIn: "`")), all: cells[2] == "refused",
                withoutNamespaces: cells[3] == "refused", withoutLandlock: cells[4] == "refused",
                withoutFilter: cells[5] == "refused", byRoot: cells[6].contains("root"),
                byUser: cells[6].contains("user"))
        }
    }
}

/// One set of layers, and which attempts it is to refuse.
enum Column: String, CaseIterable, Codable, Sendable {
    case all, withoutNamespaces, withoutLandlock, withoutFilter

    func refuses(_ attempt: Attempt) -> Bool {
        switch self {
        case .all: attempt.all
        case .withoutNamespaces: attempt.withoutNamespaces
        case .withoutLandlock: attempt.withoutLandlock
        case .withoutFilter: attempt.withoutFilter
        }
    }

    func layers(of all: ConfinementLayers) -> ConfinementLayers {
        var layers = all
        switch self {
        case .all: break
        case .withoutNamespaces: layers.namespaces = false
        case .withoutLandlock: layers.landlock = 0
        case .withoutFilter: layers.seccomp = false
        }
        return layers
    }
}

/// The hostile program that was built with the tests, beside the init.
let hostileProgram = URL(fileURLWithPath: initProgram).deletingLastPathComponent().appendingPathComponent("Hostile")
    .path

/// Makes every attempt of the table, and records each that ended otherwise than the table says.
private func compare(_ column: Column, _ table: [Attempt], _ initProgram: String, _ hostile: String) throws {
    let probe = ConfinementProbe(initProgram: initProgram)
    let layers = column.layers(of: probe.found)
    // What the table says is true of Landlock with its scopes. A machine without a layer still has the column without
    // it.
    guard probe.found.includes(column.layers(of: ConfinementLayers(namespaces: true, landlock: 6, seccomp: true)))
    else { return }
    let outside = try Outside(program: hostile)
    let outcomes = try outside.attempt(table.map(\.name), try outside.confinement(layers), initProgram)
    for attempt in table {
        let outcome = outcomes[attempt.name] ?? "nothing"
        if column.refuses(attempt) {
            #expect(
                outcome != "ok" && outcome != "unknown" && outcome != "nothing", "\(attempt.name) \(column) \(outcome)")
        } else if geteuid() == 0, attempt.byRoot {
            // The page tells what is open; once it is not, the page is to say so.
            #expect(outcome == "ok", "\(attempt.name) \(column) \(outcome)")
        }
    }
}

/// Without confinement the same attempts succeed, so that a refusal says something.
private func control(_ table: [Attempt], _ initProgram: String, _ hostile: String) throws {
    let outside = try Outside(program: hostile)
    let tried = table.filter { geteuid() == 0 ? $0.byRoot : $0.byUser }
    let outcomes = try outside.attempt(tried.map(\.name), nil, initProgram)
    for attempt in tried { #expect(outcomes[attempt.name] == "ok", "\(attempt.name) unconfined") }
}

@Suite(.disabled(if: isSanitized, "a sanitizer has threads and calls of its own")) struct HostilityTests {
    @Test(arguments: Column.allCases) func anAttemptIsRefusedAsThePageSays(_ column: Column) async throws {
        try compare(column, try Attempt.table(), initProgram, hostileProgram)
        await Task.yield()
    }

    @Test(arguments: Column.allCases) func theSameForAnOrdinaryUser(_ column: Column) async throws {
        let (directory, program, hostile) = try reachablePrograms()
        let table = try Attempt.table()
        await #expect(processExitsWith: .success) {
            [
                column = column as Column, table = table as [Attempt], program = program as String,
                hostile = hostile as String
            ] in
            try becomeOrdinaryUser()
            try compare(column, table, program, hostile)
        }
        try directory.remove()
    }

    /// The kernel counts them in the user namespace that an ordinary user's program has of its own; elsewhere the init
    /// does.
    private static func takesAShare(_ column: Column, _ initProgram: String, _ hostile: String) throws {
        let layers = column.layers(of: ConfinementProbe(initProgram: initProgram).found)
        guard layers.seccomp, access("/proc/sys/user/max_inotify_instances", F_OK) == 0 else { return }
        let outside = try Outside(program: hostile)
        let outcomes = try outside.attempt(
            ["may-have-descriptors", "take-watches"], outside.confinement(layers), initProgram)
        #expect(outcomes == ["take-watches": "EMFILE", "may-have-descriptors": "ok"], "\(column)")
    }

    @Test(arguments: Column.allCases) func aProgramHasAShareOfTheWatches(_ column: Column) async throws {
        try Self.takesAShare(column, initProgram, hostileProgram)
        await Task.yield()
    }

    @Test(arguments: Column.allCases) func anOrdinaryUsersProgramHasAShareOfTheWatches(_ column: Column) async throws {
        let (directory, program, hostile) = try reachablePrograms()
        await #expect(processExitsWith: .success) {
            [column = column as Column, program = program as String, hostile = hostile as String] in
            try becomeOrdinaryUser()
            try Self.takesAShare(column, program, hostile)
        }
        try directory.remove()
    }

    /// Before its third version Landlock knows nothing of cutting files, and without a view nothing else closes their
    /// paths.
    @Test func anOldLandlockLeavesNoFileToBeCut() throws {
        guard ConfinementProbe(initProgram: initProgram).found.includes(ConfinementLayers(landlock: 3, seccomp: true))
        else {
            return
        }
        let layers = ConfinementLayers(landlock: 2, seccomp: true)
        let outside = try Outside(program: hostileProgram)
        let names = ["truncate-file", "cut-by-opening", "may-write"]
        let outcomes = try outside.attempt(names, outside.confinement(layers), initProgram)
        #expect(outcomes["truncate-file"] == "EPERM" && outcomes["cut-by-opening"] == "EACCES", "\(outcomes)")
        #expect(outcomes["may-write"] == "ok")
    }

    /// The kernel counts descriptors that are under way for the whole user: what one program has sent keeps no other
    /// from starting.
    @Test func aProgramStartsHoweverManyDescriptorsAreUnderWay() async throws {
        let (directory, program) = try reachableInit()
        await #expect(processExitsWith: .success) { [program = program as String] in
            try becomeOrdinaryUser()
            let layers = ConfinementProbe(initProgram: program).found
            guard layers.seccomp else { return }
            // As many as a program with 64 descriptors may send, and some more: nobody receives them.
            let null = try openForReading("/dev/null")
            let sent = SharedDescriptor(null)
            let pair = try SocketPair()
            for _ in 0..<8 { try pair.first.send([1], descriptors: Array(repeating: sent, count: 16)) }
            var attributes = SpawnAttributes(executable: "/bin/true", workingDirectory: "/")
            attributes.confinement = Confinement(layers: layers)
            attributes.enclosure =
                layers.namespaces ? .processNamespace(initProgram: program) : .guardian(program: program)
            attributes.limits = [.init(resource: Int32(RLIMIT_NOFILE.rawValue), soft: 64, hard: 64)]
            #expect(try run(attributes).ending.status == .exited(0))
        }
        try directory.remove()
    }

    @Test func unconfinedTheAttemptsSucceed() async throws {
        try control(try Attempt.table(), initProgram, hostileProgram)
        await Task.yield()
    }

    @Test func unconfinedTheySucceedForAnOrdinaryUser() async throws {
        let (directory, program, hostile) = try reachablePrograms()
        let table = try Attempt.table()
        await #expect(processExitsWith: .success) {
            [table = table as [Attempt], program = program as String, hostile = hostile as String] in
            try becomeOrdinaryUser()
            try control(table, program, hostile)
        }
        try directory.remove()
    }

    @Test func thePageHasItsAttempts() throws {
        let table = try Attempt.table()
        #expect(table.count >= 40)
        #expect(table.allSatisfy { $0.all })
    }
}

/// Copies of init and hostile program that every user can reach; the directory is to be removed.
func reachablePrograms() throws -> (directory: TemporaryDirectory, initProgram: String, hostile: String) {
    let (directory, program) = try reachableInit()
    let hostile = directory.path + "/Hostile"
    try copyProgram(hostileProgram, to: hostile)
    chmod(hostile, 0o755)
    return (directory, program, hostile)
}
