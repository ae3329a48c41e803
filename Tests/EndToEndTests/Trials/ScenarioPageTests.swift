// ScenarioPageTests: docs/scenarios.md, followed line by line.

import LinuxSystem
import Testing

@Suite struct ScenarioPageTests {
    @Test func everyScenarioOfThePageDoesWhatItSays() async throws {
        let directory = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? directory.remove() }
        let applications = try samples()
        let page = try GuidePage("scenarios.md")
        #expect(page.steps.count > 10)
        try await page.follow(in: directory.path) { line, folder in
            try await Shell(folder: folder).run("export EXTHOST_APPLICATIONS='\(applications)'; \(line)")
        }
    }
}
