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

    /// Checks that each payload can be made: its files exist, and its URLs are valid.
    private func checkPayloads(of scenario: Scenario) throws(ScenarioFaults) {
        let folder = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
        var faults: [ScenarioFault] = []
        for step in scenario.tests.flatMap(\.steps) {
            if case .answer(let answer) = step.act {
                do throws(CommandError) {
                    _ = try answer.content(in: folder)
                } catch {
                    guard case .file(_, let column)? = answer.body else { continue }
                    faults.append(
                        ScenarioFault(line: step.line, column: column, error.message, remedy: error.remedy))
                }
            }
            guard case .begin(let request) = step.act else { continue }
            var payload = Payload()
            for located in request.parts {
                do throws(CommandError) {
                    try payload.add(located.part.located(in: folder))
                } catch {
                    faults.append(
                        ScenarioFault(line: step.line, column: located.column, error.message, remedy: error.remedy))
                    break
                }
            }
        }
        if !faults.isEmpty { throw ScenarioFaults(faults: faults) }
    }
}
