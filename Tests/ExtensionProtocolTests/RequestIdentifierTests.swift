// RequestIdentifier: the canonical form of a UUID, read and printed without Foundation.

import ExtensionProtocol
import Testing

@Suite struct RequestIdentifierTests {
    @Test func whatIsPrintedIsReadBackEqual() {
        for _ in 0..<100 {
            let identifier = RequestIdentifier()
            #expect(RequestIdentifier(identifier.description) == identifier)
        }
    }

    @Test func aNewOneIsAVersion4UUIDInCapitals() {
        for _ in 0..<100 {
            let text = Array(RequestIdentifier().description)
            #expect(text.count == 36)
            #expect(text[14] == "4")
            #expect("89AB".contains(text[19]))
            for index in [8, 13, 18, 23] { #expect(text[index] == "-") }
            #expect(text.allSatisfy { "0123456789ABCDEF-".contains($0) })
        }
    }

    @Test func noTwoNewOnesAreAlike() {
        #expect(Set((0..<1000).map { _ in RequestIdentifier() }).count == 1000)
    }

    @Test func eitherCaseIsReadAndCapitalsAreWritten() {
        let identifier = RequestIdentifier("6ba7b810-9DAD-41d1-80b4-00c04fd430c8")
        #expect(identifier?.description == "6BA7B810-9DAD-41D1-80B4-00C04FD430C8")
        #expect(identifier == RequestIdentifier("6BA7B810-9DAD-41D1-80B4-00C04FD430C8"))
    }

    @Test func everyDigitHasItsPlace() {
        let text = "01234567-89AB-CDEF-FEDC-BA9876543210"
        #expect(RequestIdentifier(text)?.description == text)
    }

    @Test(arguments: [
        "", "6BA7B810", "6BA7B8109DAD41D180B400C04FD430C8", "6BA7B810-9DAD-41D1-80B4-00C04FD430C",
        "6BA7B810-9DAD-41D1-80B4-00C04FD430C89",
        "6BA7B810-9DAD-41D1-80B4-00C04FD430CG", "6BA7B810x9DAD-41D1-80B4-00C04FD430C8",
        "{BA7B810-9DAD-41D1-80B4-00C04FD430C}",
        "6BA7B81-09DAD-41D1-80B4-00C04FD430C8", "6BA7B810-9DAD-41D1-80B4-00C04FD430é8",
        "-BA7B810-9DAD-41D1-80B4-00C04FD430C8",
    ])
    func whatIsNotTheCanonicalFormIsRefused(_ text: String) {
        #expect(RequestIdentifier(text) == nil)
    }
}
