// TerminalSheetTests: a compose sheet used by lines of standard input.

import ExtensionHostTesting
import Foundation
import LinuxSystem
import Testing

@Suite struct TerminalSheetTests {
    @Test func linesOfInputEditTapAndPost() async throws {
        let bundles = try TestBundles.readingList()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let (input, writer) = try Program.pipe()
            let lines = "text a note\ntap Public\ntap Nobody\nsing\npost\n"
            #expect(lines.utf8CString.withUnsafeBytes { write(writer.raw, $0.baseAddress, $0.count - 1) } > 0)
            let arguments = ["run", "org.exthost.samples.reading.save", "--url", "https://example.org", "--interactive"]
            let program = try Program.run(
                SampleApplications.buildFolder + "/exthostctl", arguments, socket: daemon.address.path, input: input)
            let ending = try await program.ending()
            #expect(ending.status == 0 && ending.output.hasPrefix("completed"))
            for line in [
                "│ Save link", "│   a note  34 left", "│   Public: Yes", "│   Readers: Everybody", "│ [Post] [Cancel]",
                "nothing to tap named “Nobody”", "“sing” is no act",
            ] {
                #expect(ending.errors.contains(line), "\(line)")
            }
        }
    }
}
