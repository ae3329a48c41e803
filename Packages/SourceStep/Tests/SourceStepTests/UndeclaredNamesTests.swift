// UndeclaredNamesTests: what a missing module would have to declare.

import Foundation
import SourceStep
import Testing

@Suite struct UndeclaredNamesTests {
    @Test func listsWhatNobodyDeclares() throws {
        let source = """
            import Core
            struct Own<T> { var account: Account?; let kit: Kit; func f() {} }
            func g(_ own: Own<Int>) { f(); start(); own.account.load(); own.kit.known; Defaults.shared.known }
            """
        try withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/kit", withIntermediateDirectories: true)
            try source.write(toFile: folder + "/a.swift", atomically: true, encoding: .utf8)
            let kit = "public class Kit { static let shared = 1, known = 2 }  // Account\npublic struct Int {}"
            try kit.write(toFile: folder + "/kit/k.swift", atomically: true, encoding: .utf8)
            var description = StepDescription(targets: [
                StepDescription.Target(module: "M", files: [folder + "/a.swift"], known: [])
            ])
            description.listsNames = true
            description.knownSources = [folder + "/kit"]
            let target = try StepRun(description, output: folder + "/out").run().targets[0]
            #expect(target.missingModules.map(\.name) == ["Core"])
            #expect(
                target.undeclared?.map { "\($0.name) \($0.line)" } == ["Account 2", "start 3", ".load 3", "Defaults 3"])
        }
    }
}
