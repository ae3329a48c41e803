// Driver: a program in Python that plays a whole scene, daemons, hosts and all, and tells of each round what went
// wrong.

import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

/// A folder with the drivers, their bundles and, for another user, the daemon, all of which that user can reach.
final class Driver {
    /// Who plays: this user, or an ordinary one where this is root.
    enum Player: String, Sendable { case root, user }

    /// How one round ended; more of it is the driver's own.
    struct Round: Decodable, Sendable {
        var wrong: [String]
        var killed: String?
        /// Seconds until everything was gone.
        var took: [String: Double]?
        var kind: String?
        var call: Int?
        var when: String?
        var hit: String?
    }

    let bundles: TestBundles
    private let folder: TemporaryDirectory
    private let player: Player
    private let daemon: String
    /// The ordinary user.
    private let user: Int

    /// - Parameter user: a driver that uses up what its user may have is to have a user of its own.
    init(_ player: Player, _ bundles: TestBundles, user: Int = 65534) throws {
        (self.player, self.bundles, self.user) = (player, bundles, user)
        folder = try TemporaryDirectory(prefix: "exthost-driver")
        try FileManager.default.createDirectory(atPath: folder.path + "/temporary", withIntermediateDirectories: false)
        for path in ["scene", "stepper", "chaos", "killpoints", "hostile", "attacks"].map({
            "Tests/Fixtures/Python/\($0).py"
        })
            + ["Sources/Samples/Python/exthost.py"]
        {
            let name = URL(fileURLWithPath: path).lastPathComponent
            try Data(try TestBundles.source(path).utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        }
        let built = ProcessInfo.processInfo.environment["EXTHOSTD"] ?? SampleApplications.buildFolder + "/exthostd"
        if player == .user, geteuid() == 0 {
            daemon = folder.path + "/exthostd"
            for name in ["exthostd", "exthost-init"] {
                let program = URL(fileURLWithPath: built).deletingLastPathComponent().appendingPathComponent(name).path
                try FileManager.default.copyItem(atPath: program, toPath: folder.path + "/" + name)
                chmod(folder.path + "/" + name, 0o755)
                try waitForWriters(of: folder.path + "/" + name)
            }
            for path in [folder.path, bundles.path] { chmod(path, 0o755) }
            chmod(folder.path + "/temporary", 0o777)
        } else {
            daemon = built
        }
    }

    deinit { try? folder.remove() }

    /// Runs a driver to its end and hands each of its rounds to `judge`, with the line as it came.
    ///
    /// - Parameters:
    ///   - before: arguments in front of the daemon's program.
    ///   - after: arguments behind the folders.
    ///   - makesBundles: it has its own, and is not told of any.
    ///   - seconds: in which nothing is to be left of a round: one is the claim, of a machine with nothing else to do.
    func play(
        _ script: String, _ before: [String] = [], after: [String], makesBundles: Bool = false, goneWithin seconds: Int,
        _ judge: (Round, String) -> Void
    ) async throws {
        var words = ["/usr/bin/python3", "-B", "\(folder.path)/\(script).py"] + before
        words += [daemon] + (makesBundles ? [] : [bundles.path]) + [folder.path + "/temporary"] + after
        if player == .user, geteuid() == 0 {
            words = ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"] + words
        }
        let program = try Program.run(
            words[0], Array(words.dropFirst()), socket: "/nonexistent",
            environment: ["EXTHOST_GONE_WITHIN": "\(seconds)"])
        for await line in program.lines { judge(try JSONDecoder().decode(Round.self, from: Data(line.utf8)), line) }
        let ending = try await program.ending()
        try #require(ending.status == 0, "\(ending.errors)")
    }
}

/// The middle, the 99th of a hundred and the last of some figures.
struct Spread: CustomStringConvertible {
    private let sorted: [Double]

    init(_ values: [Double]) { sorted = values.sorted() }

    var count: Int { sorted.count }
    var p50: Double { sorted.isEmpty ? .nan : sorted[count / 2] }
    var p99: Double { sorted.isEmpty ? .nan : sorted[min(count - 1, count * 99 / 100)] }
    var most: Double { sorted.last ?? .nan }

    /// Of seconds, in milliseconds.
    var description: String {
        func text(_ seconds: Double) -> String { String(format: "%.2f", seconds * 1000) }
        return "p50 \(text(p50)) ms, p99 \(text(p99)) ms, most \(text(most)) ms (\(count))"
    }
}

/// Whether this run takes its time.
let isLong = faultRepetitions > 1

/// Whether this program, and the daemon with it, were built for the address or the thread sanitizer: it then holds that
/// runtime's entry.
let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
