// PostcardsTests: the sample app that loads its framework only on systems that have frameworks.

import ExtensionHostTesting
import Foundation
import TestPrograms
import Testing

@Suite struct PostcardsTests {
    private static let lines = [
        "ios-7": "system 7.1.2: no frameworks, so this is a plain greeting, Ada!",
        "ios-8": "system 8.4.1: Greetings from Linux, Ada! (2 stamps: 190 cents)",
    ]

    // spec: CL-13, CL-14
    // not simulated: N-097
    @Test(
        "CL-14, CL-13: app --profile ios-7 takes the guarded path, ios-8 loads the framework, all in Swift",
        arguments: ["ios-7", "ios-8"])
    func guardedPath(profile: String) async throws {
        let program = try Program.control(["app", "--profile", profile, try samples() + "/PostcardsApp.app"])
        try await program.shows("system ")
        try program.interrupt()
        let ending = try await program.ending()
        #expect(ending.status == 0 && ending.output == (Self.lines[profile] ?? "") + "\n", "\(ending)")
    }

    @Test(
        "CL-14: --profile has a private daemon, so options that name another are refused",
        arguments: [
            ["--profile", "ios-8", "--user"], ["--profile", "ios-8", "--detach"],
            ["--profile", "ios-8", "--environment"],
            ["--profile", "ios-9000"],
        ])
    func refusedOptions(_ options: [String]) async throws {
        let ending = try await Program.control(["app"] + options + ["./None.app"]).ending()
        #expect(ending.status == 64 && ending.errors.contains("rofile"), "\(ending)")
    }

    @Test("The sample's framework lies in the app, with its library under the framework's own name")
    func layout() throws {
        let app = try samples() + "/PostcardsApp.app"
        let files = try FileManager.default.subpathsOfDirectory(atPath: app).sorted()
        #expect(
            files == [
                "Frameworks", "Frameworks/PostcardKit.framework", "Frameworks/PostcardKit.framework/Info.plist",
                "Frameworks/PostcardKit.framework/PostcardKit", "Info.plist", "PlugIns", "PlugIns/SharePostcard.appex",
                "PlugIns/SharePostcard.appex/Info.plist", "PlugIns/SharePostcard.appex/SharePostcard", "PostcardsApp",
                "SourceStamps.json",
            ])
    }
}
