// IntentDefinitionAuthorTests: a project with definitions of intents, from its unchanged files to a bundle.

import Foundation
import Testing

extension RewrittenAuthorTests {
    /// Returns the author's files of the project with their contents.
    private func authorsFiles() throws -> [String: Data] {
        var found: [String: Data] = [:]
        let place = folder + "/Soups"
        for name in FileManager.default.enumerator(atPath: place)?.compactMap({ $0 as? String }) ?? []
        where !name.hasPrefix(".build") {
            found[name] = FileManager.default.contents(atPath: "\(place)/\(name)") ?? Data()
        }
        return found
    }

    // spec: P-690
    @Test func aProjectWithDefinitionsOfIntentsIsBundledUnchanged() async throws {
        try FileManager.default.copyItem(
            atPath: SampleApplications.root + "/Tests/Fixtures/Soups", toPath: folder + "/Soups")
        let before = try authorsFiles()
        let ending = try await run("exthostctl bundle Soups/Soups.xcodeproj --dynamic", in: folder)
        try #require(ending.status == 0, "\(ending)")
        #expect(!ending.output.contains("warning:"), "\(ending)")
        #expect(try authorsFiles() == before && before.count > 5)
        let information = folder + "/Soups/.build/bundles/Soups.app/PlugIns/Order.appex/Info.plist"
        let text = try String(contentsOfFile: information, encoding: .utf8)
        // The class of the framework has its module.
        #expect(text.contains("<string>OrderSoupIntent</string>"), "\(text)")
        #expect(text.contains("<string>SoupKit.CountSoupsIntent</string>"), "\(text)")
    }
}
