// PythonInteropTests: both directions with a second, independent implementation.

import PropertyListCoding
import Testing

@Suite(.enabled(if: PythonProcess.isAvailable, "python3 is the other side")) struct PythonInteropTests {
    @Test func `Python reads our binary form, and we read its binary and XML form of the same`() throws {
        let values = (0..<300).map { seed in
            var random = RandomValues(seed: 90_000 + UInt64(seed), isPlain: true)
            return random.value()
        }
        let answers = try PythonProcess.rewrite(values.map { try $0.encodeBinary() })
        for (seed, (value, answer)) in zip(values, answers).enumerated() {
            #expect(try PropertyList(binary: answer.binary, limits: .payload) == value, "seed \(seed)")
            #expect(try PropertyList(file: answer.xml, limits: .file) == value, "seed \(seed)")
        }
    }

    @Test func `strings of any scalar survive Python's binary form`() throws {
        let values = (0..<300).map { seed in
            var random = RandomValues(seed: 70_000 + UInt64(seed))
            return PropertyList.array((0..<5).map { _ in .string(random.string()) })
        }
        let answers = try PythonProcess.rewrite(values.map { try $0.encodeBinary() })
        for (value, answer) in zip(values, answers) {
            #expect(try PropertyList(file: answer.binary, limits: .file) == value)
        }
    }

    @Test func `wide references and offsets agree`() throws {
        let values: [PropertyList] = [
            .array((0..<300).map { .integer($0) }), .array((0..<70_000).map { .integer($0) }),
            ["data": .data([UInt8](repeating: 7, count: 200_000)), "after": "the data"],
            ["negative": -5, "least": .integer(.min), "most": .integer(.max), "unsigned": 4_294_967_295],
        ]
        let answers = try PythonProcess.rewrite(values.map { try $0.encodeBinary() })
        for (value, answer) in zip(values, answers) {
            #expect(try PropertyList(binary: answer.binary, limits: .payload) == value)
            #expect(try PropertyList(xml: answer.xml, limits: .file) == value)
        }
    }

    @Test func `our binary form is as small as Python's`() throws {
        let attachment: PropertyList = ["types": ["public.url"], "name": "page", "value": "https://example.org/"]
        let value: PropertyList = [
            "op": "begin", "items": [attachment, attachment, ["n": 1, "m": 1, "r": 2.5]], "deadline": 12.5,
        ]
        let ours = try value.encodeBinary()
        let theirs = try #require(try PythonProcess.rewrite([ours]).first)
        #expect(ours.count <= theirs.binary.count)
    }
}
