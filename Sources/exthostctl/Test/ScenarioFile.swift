// ScenarioFile: a scenario whose other files are all looked up before anything runs.

import Foundation
import Scenarios

struct ScenarioFile {
    /// The path as the user named it.
    private let path: String

    init(_ path: String) { self.path = path }

    /// Returns the only scenario in a folder of sources.
    static func only(in folder: String) throws(CommandError) -> String {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
            $0.hasSuffix(".scenario")
        }
        let paths = names.sorted().map { folder.hasSuffix("/") ? folder + $0 : "\(folder)/\($0)" }
        guard let first = paths.first else {
            throw .missing(
                "\(folder) has no scenario",
                remedy:
                    "Write one (docs/scenarios.md), or test the folder without one: exthostctl test --matrix \(folder)")
        }
        guard paths.count == 1 else {
            throw .usage("\(folder) has several scenarios", remedy: "Name one: \(paths.joined(separator: ", "))")
        }
        return first
    }

    /// - Throws: `CommandError` `missing`, or `usage` with every fault, one per line.
    func read() throws(CommandError) -> Scenario {
        let data = try InputFile(path).data()
        guard data.count <= Scenario.longest, let text = String(data: data, encoding: .utf8) else {
            throw .usage(
                "\(path) is not a scenario",
                remedy: "A scenario is a text in UTF-8 of at most 1 MiB; docs/scenarios.md explains it")
        }
        do {
            let scenario = try Scenario(reading: text)
            try checkPayloads(of: scenario)
            return scenario
        } catch {
            let lines = error.faults.map { "\(path):\($0.line):\($0.column): \($0.message). \($0.remedy)" }
            throw .faults(lines)
        }
    }

    /// Checks that each payload and answer can be made: its files exist, and its URLs are valid.
    private func checkPayloads(of scenario: Scenario) throws(ScenarioFaults) {
        let folder = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
        var faults: [ScenarioFault] = []
        for test in scenario.tests {
            var (payload, answered) = (Payload(), 0)
            for step in test.steps {
                var column = 1
                do throws(CommandError) {
                    switch step.act {
                    case .answer(let answer):
                        if case .file(_, let place)? = answer.body { column = place }
                        answered += try answer.content(in: folder).count
                        guard answered <= ScenarioAnswer.largestSum else {
                            throw .usage(
                                "the answers of this test have more than 48 MiB", remedy: "Answer with smaller files")
                        }
                    case .begin(let request):
                        payload = Payload()
                        for located in request.parts {
                            column = located.column
                            try payload.add(located.part.located(in: folder))
                        }
                    default: break
                    }
                } catch {
                    faults.append(
                        ScenarioFault(line: step.line, column: column, error.message, remedy: error.remedy))
                }
            }
        }
        if !faults.isEmpty { throw ScenarioFaults(faults: faults) }
    }
}
