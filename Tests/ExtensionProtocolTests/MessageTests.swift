// Messages: each reads back what it wrote, names what is wrong with what it refuses, and ignores what it does not know.

import ExtensionProtocol
import PropertyListCoding
import Testing

@Suite struct MessageTests {
    @Test func everyKindOfMessageHasASample() {
        #expect(Set(Sample.full.map(\.kind)) == Set(MessageKind.allCases))
        #expect(Sample.full.count == MessageKind.allCases.count)
    }

    // spec: A1
    @Test(arguments: Sample.full + Sample.bare)
    func aMessageIsReadBackEqualFromItsBinaryPropertyList(_ sample: Sample) throws {
        let bytes = try PropertyList.dictionary(sample.dictionary).encodeBinary()
        #expect(bytes.count <= PacketLimits.body)
        let dictionary = try #require(PropertyList(binary: bytes, limits: .packet).dictionary)
        let again = try sample.read(dictionary)
        #expect(again.text == sample.text)
        #expect(again.dictionary == sample.dictionary)
    }

    @Test(arguments: Sample.least)
    func aMissingKeyIsNamedWithItsMessage(_ sample: Sample) throws {
        for key in sample.required {
            var dictionary = sample.dictionary
            dictionary[key] = nil
            #expect(throws: ProtocolError.missing(key: key, kind: "\(sample.kind)")) { try sample.read(dictionary) }
        }
    }

    @Test(arguments: Sample.full)
    func aValueOfTheWrongTypeIsNamedWithItsMessage(_ sample: Sample) throws {
        for key in sample.dictionary.keys {
            var dictionary = sample.dictionary
            dictionary[key] = .date(0)  // no message has one
            #expect(throws: ProtocolError.wrongType(key: key, kind: "\(sample.kind)")) { try sample.read(dictionary) }
        }
    }

    @Test(arguments: Sample.full)
    func anOptionalKeyMayBeAbsent(_ sample: Sample) throws {
        let required = Set(try #require(Sample.least.first { $0.kind == sample.kind }).required)
        for key in sample.dictionary.keys where !required.contains(key) {
            var dictionary = sample.dictionary
            dictionary[key] = nil
            let again = try sample.read(dictionary)
            #expect(again.text != sample.text)
        }
    }

    @Test(arguments: Sample.full)
    func keysOfALaterMinorVersionAreIgnoredAtEveryDepth(_ sample: Sample) throws {
        let again = try sample.read(try #require(Self.extended(.dictionary(sample.dictionary)).dictionary))
        #expect(again.text == sample.text)
    }

    private static func extended(_ value: PropertyList) -> PropertyList {
        switch value {
        case .array(let values): return .array(values.map(extended))
        case .dictionary(let dictionary):
            var result = PropertyListDictionary([("added-later", .array([.date(1), .data([0])]))])
            for (key, value) in dictionary { result[key] = extended(value) }
            return .dictionary(result)
        default: return value
        }
    }

    @Test func everyKeyThatMessagesWriteIsInTheTableOfKeys() {
        for sample in Sample.full {
            for key in sample.dictionary.keys { #expect(Key(rawValue: key) != nil, "\(key) of \(sample.kind)") }
        }
    }

    @Test func aStructureInsideAMessageThatIsBrokenMakesItsOwnKeyTheWrongType() throws {
        var dictionary = Hello(role: .host, sdk: "s").dictionary
        dictionary["limits"] = ["packets": 4]
        #expect(throws: ProtocolError.wrongType(key: "limits", kind: "hello")) { try Hello(dictionary: dictionary) }
    }

    @Test func anIntegerStandsForARealAndNotTheOtherWayRound() throws {
        #expect(try AdvanceClock(dictionary: ["delay": 2]).delay == 2)
        #expect(throws: ProtocolError.wrongType(key: "offset", kind: "listHosts")) {
            try ListHosts(dictionary: ["offset": 2.0])
        }
    }

    // spec: 1.3
    @Test(arguments: Cause.allCases)
    func theOutcomeOfAFinishedMessageIsThatOfItsCause(_ cause: Cause) throws {
        let message = Finished(
            request: RequestIdentifier(), cause: cause, detail: nil, pid: nil, process: nil, hostState: .active,
            created: 0,
            timings: Timings())
        let again = try Finished(dictionary: message.dictionary)
        #expect(again.cause == cause)
        #expect(again.outcome == cause.outcome)
    }

    @Test func aCauseThatANewerDaemonNamesIsUnrecognizedAndItsOutcomeStands() throws {
        var dictionary = Finished(
            request: RequestIdentifier(), cause: .quota, detail: nil, pid: nil, process: nil, hostState: .active,
            created: 0,
            timings: Timings()
        ).dictionary
        dictionary["cause"] = "eatenByABear"
        let message = try Finished(dictionary: dictionary)
        #expect(message.cause == .unrecognized)
        #expect(message.outcome == .refused)
    }

    @Test func anErrorCodeThatANewerDaemonNamesIsUnrecognizedAndItsTextStands() throws {
        let error = try ErrorReply(dictionary: ["code": 4711, "message": "it rained"]).error
        #expect(error.code == .unrecognized)
        #expect(error.message == "it rained")
    }

    @Test func anErrorSaysWhatHappenedWhyAndWhatToDo() {
        let error = ExtensionHostError(
            .launchFailed, "it could not be launched", remedy: "Build it", cause: "no such file")
        #expect(error.description == "it could not be launched: no such file. Build it")
    }

    @Test func theFiveOutcomesHaveTheExitStatusesOfTheInterface() {
        let statuses = OutcomeKind.allCases.map(\.exitStatus)
        #expect(statuses == [0, 10, 11, 12, 13])
    }
}
