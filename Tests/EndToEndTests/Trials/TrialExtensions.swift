// TrialExtensions: the good sample and the bad ones, each an extension of its own in one app.

import Foundation
import TestPrograms

/// What `Tests/Fixtures/Trial` does wrong, by its classes.
enum TrialExtension: String, CaseIterable, Sendable {
    case goodLink, forceCasts, crashesOnData, neverCompletes, completesTwice, ignoresExpiry, keepsState, notForTwo,
        exitsInstead
    case wrongItem

    var identifier: String { "org.exthost.tests.\(rawValue)" }

    fileprivate var className: String { "Trial." + rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}

extension TestBundles {
    static func withTrials() throws -> TestBundles {
        let bundles = try TestBundles()
        for trial in TrialExtension.allCases {
            try bundles.add(
                trial.rawValue, program: SampleApplications.buildFolder + "/Trial", principalClass: trial.className,
                rule: ["NSExtensionActivationSupportsWebURLWithMaxCount": 1])
        }
        return bundles
    }
}

/// `exthostctl test` against such extensions.
struct TrialRun {
    let bundles: TestBundles

    init() throws { bundles = try TestBundles.withTrials() }

    var app: String { bundles.path + "/Tests.app" }

    /// Writes a scenario beside the app.
    func write(_ text: String, name: String = "t.scenario") throws -> String {
        let path = "\(bundles.path)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    func run(_ arguments: [String]) async throws -> Program.Ending {
        try await Program.control(
            ["test"] + arguments, socket: "/nonexistent/host.sock", environment: ["EXTHOST_APPLICATIONS": bundles.path]
        ).ending()
    }

    /// The results of `--json`, by the tests' names.
    func results(_ arguments: [String]) async throws -> (status: Int32?, tests: [String: [String: Any]]) {
        let ending = try await run(arguments + ["--json"])
        let document = try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any] ?? [:]
        let tests = document["tests"] as? [[String: Any]] ?? []
        return (ending.status, Dictionary(tests.map { ($0["name"] as? String ?? "", $0) }) { $1 })
    }
}
