// NearestNamesTests: what was probably meant by a name that is none.

import ExtensionProtocol
import Testing

@Suite struct NearestNamesTests {
    private let names = ["org.example.words.share", "org.example.words.edit", "list", "lint", "logs", "status"]

    @Test(arguments: [
        ("lst", ["list"]), ("lsit", ["list", "lint"]), ("STATUS", ["status"]), ("statsu", ["status"]),
        ("org.example.word.share", ["org.example.words.share"]),
        ("words", ["org.example.words.share", "org.example.words.edit"]), ("nothing like it", []), ("l", []), ("", []),
    ])
    func oneThatIsLikeIt(_ text: String, _ near: [String]) {
        #expect(NearestNames.of(text, among: names) == near)
        #expect(
            NearestNames.question(text, among: names)
                == (near.isEmpty ? nil : "Is \(near.joined(separator: " or ")) meant?"))
    }

    /// Neither how long a stranger's text is, nor how many names there are, decides how long it takes or what is
    /// answered.
    @Test func whatAStrangerAsksIsBounded() {
        let many = (0..<100_000).map { "name\($0)" }
        #expect(NearestNames.of("name", among: many).count == 4)
        #expect(
            NearestNames.of("name99999", among: many).isEmpty
                == NearestNames.of("name99999", among: many.prefix(256)).isEmpty)
        let error = ExtensionHostError.noSuchExtension(
            String(repeating: "x", count: 60_000), among: names, remedy: "Look")
        #expect(error.code == .noSuchExtension && error.message.utf8.count < 600 && error.remedy == "Look")
    }
}
