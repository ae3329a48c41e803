// BenchCommand: the verb that measures an extension against the sample.

import ArgumentParser
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Scenarios

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measure the cost of an extension, compared with a sample.",
        discussion: """
            The command launches the extension repeatedly, then sends requests to one process of it, with a private
            daemon. It alternates with the sample ShareLink, with the same extension point and the same payload. The
            differences come from the extension itself: its code, its own libraries, and its linking. Times are medians.
            Memory is that of an idle process after its requests, or before the end of its request if it serves only
            one. USS counts its own pages, PSS adds its share of the pages that it shares, and RSS counts all its pages.
            The peak covers a whole life with one request.

            For an extension with an interface, a measurement ends at its first view, and the command cancels the
            request as a user would. Without a payload, the extension receives a link, or text if its rule accepts no
            link.

            The sample is the one beside this program, as in a build folder, or among the applications. --beside names
            another extension to compare with, such as the previous version, which runs unchanged. Build the extension
            with --release: otherwise a folder of sources is measured in its debug build.

            Exit status: 0 after a measurement, whatever the cost. If a request was interrupted, timed out or refused,
            the status of that outcome.

            EXAMPLES
              exthostctl bench org.example.app.share --url https://example.org
              exthostctl bench ./Share.app --text hello --count 100
              exthostctl bench . --release
              exthostctl bench ./Share.app --beside ../before/Share.app --json
            """)

    @Argument(
        help: ArgumentHelp(
            "The extension's identifier, or the path of an app, an .appex, a program or a folder of sources.",
            valueName: "id|path"
        ),
        completion: .extensions)
    var name: String

    @OptionGroup(title: "Payload")
    var payload: PayloadOptions

    @Option(
        help: ArgumentHelp("The number of launches; one process gets ten times as many requests.", valueName: "count"))
    var count = 20

    @Option(
        help: ArgumentHelp(
            "Compare with this extension and not the sample: an identifier, or the path of an app, an .appex or a program.",
            valueName: "id|path"), completion: .extensions)
    var beside: String?

    @Option(
        name: .customLong("extension"),
        help: ArgumentHelp("The extension to use, if a path has several.", valueName: "name"))
    var chosen: String?

    @Option(
        help: ArgumentHelp("Also search this folder for applications; repeatable.", valueName: "dir"),
        completion: .directory)
    var applications: [String] = []

    @Option(
        help: ArgumentHelp("The longest wait for an answer or a view; default 10s.", valueName: "duration"),
        transform: duration)
    var limit: Duration?

    @Flag(help: "Ignore the activation rules.")
    var force = false

    @OptionGroup(title: "For a folder of sources")
    var bundling: BundleOptions

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func validate() throws {
        guard (1...10_000).contains(count) else { throw ValidationError("--count takes a number from 1 to 10000.") }
        if let limit, limit <= .zero { throw ValidationError("--limit takes a duration above 0.") }
        if global.socket != nil || global.scope != nil {
            throw ValidationError("bench starts its own daemon: omit --socket, --user and --system.")
        }
    }

    func run() async throws {
        let here = FileManager.default.currentDirectoryPath
        let folders = applications.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
        for folder in folders where !FileManager.default.fileExists(atPath: folder) {
            throw CommandError.missing(
                "there is no folder \(folder)", remedy: "Name a folder of apps with --applications")
        }
        let parts = payload.parts(in: CommandLine.arguments.dropFirst())
        let given = parts.isEmpty ? nil : try Payload(parts).offered
        do {
            let subject = try await TestSubject(
                .init(name: name, chosen: chosen), in: here, applications: folders, choosing: "--extension", bundling,
                global)
            let look = try await BenchRun.look(subject, given)
            let (other, sample) = try await other(look, here, folders)
            // The sample's folder is removed with it.
            defer { withExtendedLifetime(sample) {} }
            let bench = BenchRun(
                subject: subject, beside: other, items: look.items, launches: count, limit: limit ?? Self.usualLimit,
                force: force
            )
            // An interrupted measurement still ends its daemon in order.
            let run = try await TestRun.run([{ @Sendable in await bench.measure(look) }], jobs: 1)
            if run.isInterrupted { throw ExitCode(ExitStatus.interrupted) }
            for result in run.results {
                let costs = try result.get()
                let report = BenchReport(
                    launches: count, requests: bench.requestsOfOne, isSample: sample != nil, yours: costs.yours,
                    beside: costs.beside)
                try StandardOutput.write(global.json ? report.json.document : report.text)
            }
        } catch let error as ExtensionHostError {
            throw CommandError.refused(error)
        }
    }

    private static let usualLimit = Duration.seconds(10)

    /// Returns the other side of the comparison: the named extension, else the sample. Both are nil if there is none.
    private func other(
        _ look: BenchRun.Look, _ here: String, _ folders: [String]
    ) async throws -> (TestSubject?, BenchSample?) {
        if let beside {
            return (
                try await TestSubject(
                    .init(name: beside), in: here, applications: folders, choosing: "an app of one", bundling, global),
                nil
            )
        }
        guard let program = await BenchSample.program(among: folders) else { return (nil, nil) }
        let sample = try BenchSample(program: program, point: look.record?.point)
        let subject = try await TestSubject(
            .init(name: sample.path + "/Bench.app"), in: here, applications: [], choosing: "--extension", bundling,
            global)
        return (subject, sample)
    }
}
