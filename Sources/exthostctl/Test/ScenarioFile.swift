// ScenarioFile: a scenario with everything it needs from other files looked for, before anything runs.

import Foundation
import Scenarios

struct ScenarioFile {
    /// As it was named.
    private let path: String

    init(_ path: String) { self.path = path }

    /// - Throws: `CommandError` `missing`, or `usage` with every fault, a line each.
    func read() throws(CommandError) -> Scenario {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw .usage(
                "\(path) is a folder, and no scenario file",
                remedy: "Name the file; exthostctl test --matrix \(path) tries an app, or a folder of sources, without one")
        }
        let data = try InputFile(path).data()
        guard data.count <= Scenario.longest, let text = String(data: data, encoding: .utf8) else {
            throw .usage(
                "\(path) is no scenario", remedy: "A scenario is a text in UTF-8 of at most 1 MiB; docs/scenarios.md explains it")
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

    /// Whether each payload can be made: files are there, URLs are some.
    private func checkPayloads(of scenario: Scenario) throws(ScenarioFaults) {
        let folder = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
        var faults: [ScenarioFault] = []
        for step in scenario.tests.flatMap(\.steps) {
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
