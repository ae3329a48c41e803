// RewrittenAuthorTests: the work of an author whose sources were written for Apple's systems: a page and projects.

import Foundation
import Testing

/// The source step rewrites a source of each of these packages. As `AuthorTests`, they share a folder of builds.
@Suite(.serialized, .disabled(if: isSanitized, "an author's package is built without sanitizers"))
final class RewrittenAuthorTests {
    private let author: AuthorFolder
    var folder: String { author.path }

    init() throws { author = try AuthorFolder(.rewritten) }

    func run(_ line: String, in folder: String) async throws -> Shell.Ending { try await author.run(line, in: folder) }

    @Test func everyStepOfThePortingPageIsTrue() async throws { try await author.follow("porting.md") }

    // spec: P-313
    @Test func aProjectOfXcodeWithAStoryboardRunsToItsOutcome() async throws {
        try FileManager.default.copyItem(
            atPath: SampleApplications.root + "/Tests/Fixtures/Pins", toPath: folder + "/Pins")
        let ending = try await run(
            "exthostctl run Pins/Pins.xcodeproj --dynamic --text hello --tap More --tap save --json", in: folder)
        let line = try #require(ending.output.split(separator: "\n").last { $0.hasPrefix("{") }, "\(ending)")
        let report = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let facts = try #require(
            (report["items"] as? [[String: Any]])?.first?["userInfo"] as? [String: Any], "\(ending)")
        #expect(report["extension"] as? String == "org.exthost.tests.pins.save")
        // A resource, a text that was drawn, outlets, an action's sender, a runtime attribute and a segue.
        #expect(facts["label"] as? String == "Pinned" && facts["pin"] as? String == "hello")
        #expect(facts["calls"] as? [String] == ["awake", "loaded Drawn & done", "showMore by More"], "\(facts)")
        #expect(
            facts["buttons"] as? [Int] == [5, 7] && facts["sender"] as? Int == 7 && facts["stack"] as? Bool == true)
        #expect(facts["detail"] as? String == "from the drawing" && facts["conditions"] as? Bool == true)
        #expect(ending.output.contains("MainInterface.storyboard:44: warning: <mapView> is not simulated"), "\(ending)")
        // The author's folder has nothing new but what was built.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/Pins").sorted()
        #expect(names == [".build", "Config", "PinKit", "Pins", "Pins.xcodeproj", "Save"])
    }
}
