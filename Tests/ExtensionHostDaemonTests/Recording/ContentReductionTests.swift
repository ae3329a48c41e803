// ContentReductionTests: what is left of a packet that is recorded without contents has nothing of authors and users in
// it.

import ExtensionProtocol
import PropertyListCoding
import Testing

@testable import ExtensionHostDaemon

@Suite struct ContentReductionTests {
    /// Values of which nothing may be left, wherever they stand.
    private static let secret: PropertyList = "confidential"

    static let payloads: [(kind: MessageKind, value: PropertyList)] = [
        (
            .begin,
            [["$kind": "item", "userInfo": ["confidential": secret, "n": [secret, ["confidential": [secret]]]]]]
        ),
        (
            .begin,
            [
                [
                    "$kind": "item",
                    "userInfo": [
                        "NSExtensionItemAttributedTitleKey": [
                            "$kind": "attributedString", "string": secret,
                            "runs": [["location": 0, "length": 3, "attributes": ["confidential": secret]]],
                        ],
                        "NSExtensionItemAttachmentsKey": [
                            ["$kind": "provider", "number": 1, "types": ["public.url"], "name": secret]
                        ],
                    ],
                ]
            ]
        ),
        (.itemLoaded, ["value": ["$kind": "url", "string": secret, "base": secret]]), (.itemLoaded, ["value": secret]),
        // A user's own dictionary whose keys are the protocol's.
        (
            .itemLoaded,
            ["value": ["type": secret, "number": secret, "types": [secret], "value": secret, "kind": secret]]
        ),
        (.itemLoaded, ["value": ["$kind": secret, "types": [secret]]]),
        (.itemLoaded, ["value": .data(Array("confidential".utf8))]),
        (.itemLoaded, ["value": ["$kind": "dictionary", "value": ["$kind": secret, "confidential": 1]]]),
        (
            .itemLoaded,
            [
                "error": [
                    "$kind": "error", "domain": secret, "code": 7, "description": secret,
                    "userInfo": ["confidential": secret],
                ]
            ]
        ),
        (
            .complete,
            [
                [
                    "$kind": "item",
                    "userInfo": [
                        "NSExtensionItemAttachmentsKey": [
                            [
                                "$kind": "loadedProvider",
                                "representations": [["type": "public.text", "value": secret, "file": 0, "x": secret]],
                            ]
                        ]
                    ],
                ]
            ]
        ), (.loadItem, ["options": ["confidential": secret], "expected": "NSURL"]),
        (
            .cancelRequest,
            [
                "$kind": "error", "domain": secret, "code": 1,
                "underlying": ["$kind": "error", "domain": secret, "code": 2],
            ]
        ),
        (
            .showView,
            [
                "kind": "sheet", "text": secret, "title": secret,
                "children": [["kind": "button", "title": secret, "name": secret]],
            ]
        ),
        (.begin, secret), (.begin, [:]), (.begin, [["number": secret, "confidential": secret]]),
        (.complete, [["$kind": "provider", "number": ["confidential": secret], "types": secret]]),
    ]

    @Test(arguments: payloads) func `of a payload only types and sizes are left`(kind: MessageKind, value: PropertyList)
        throws
    {
        let reduced = ContentReduction.payload(try value.encodeBinary(), of: kind)
        // The names of types are kept: they stand in the event log, too. A type is a string under `types` of a
        // provider.
        let text = "\(reduced)".replacing(
            "\"types\", PropertyListCoding.PropertyList.string(\"confidential\")", with: "")
        if value != [["$kind": "provider", "number": ["confidential": Self.secret], "types": Self.secret]] {
            #expect(!text.contains("confidential"), "\(reduced)")
        }
    }

    @Test func `the shape says what there was`() throws {
        let value: PropertyList = [
            [
                "$kind": "item",
                "userInfo": [
                    "shared": "https://example.org",
                    "NSExtensionItemAttachmentsKey": [["$kind": "provider", "number": 1, "types": ["public.url"]]],
                ],
            ]
        ]
        let shape: PropertyList = [
            [
                "$kind": "item",
                "userInfo": [
                    "<key of 6 bytes>": "<string of 19 bytes>",
                    "NSExtensionItemAttachmentsKey": [["$kind": "provider", "number": 1, "types": ["public.url"]]],
                ],
            ]
        ]
        #expect(ContentReduction.payload(try value.encodeBinary(), of: .begin) == shape)
    }

    @Test func `keys of one length stay apart`() throws {
        let value: PropertyList = ["value": ["ab": 1, "cd": 2]]
        let reduced = ContentReduction.payload(try value.encodeBinary(), of: .itemLoaded)
        #expect(reduced == ["value": ["<key of 2 bytes>": "<integer>", "<key of 2 bytes> 2": "<integer>"]])
    }

    @Test func `the token of a session is never recorded`() {
        let welcome = Welcome(
            version: .current, window: .standard, token: Array("confidential....".utf8), host: "notes")
        let hello = Hello(role: .host, name: "notes", sdk: "s", resumption: Resumption(token: [1, 2, 3], received: 4))
        for contents in [false, true] {
            let body = ContentReduction.body(welcome.dictionary, of: .welcome, contents: contents)
            #expect(body["token"] == "<16 bytes>" && body["version"] == ProtocolVersion.current.wire)
            #expect(
                ContentReduction.body(hello.dictionary, of: .hello, contents: contents)["resumption"]
                    == "<dictionary of 2>")
        }
    }

    @Test func `of a body what people type, open and print is left out`() throws {
        let request = RequestIdentifier()
        let use = ContentReduction.body(
            UseView(request: request, action: "setText", name: "confidential", text: "confidential").dictionary,
            of: .useView,
            contents: false)
        let open = ContentReduction.body(
            OpenURL(request: request, url: "confidential:x").dictionary, of: .openURL, contents: false)
        let output = ContentReduction.body(
            Output(extensionIdentifier: "e", pid: 1, stream: "stdout", bytes: Array("confidential".utf8)).dictionary,
            of: .output,
            contents: false)
        let foreign = ContentReduction.body(
            ["confidential": "confidential", "request": "R"], of: .begin, contents: false)
        #expect(foreign == ["<key of 12 bytes>": "<string of 12 bytes>", "request": "R"])
        for body in [use, open, output, foreign] { #expect(!"\(body)".contains("confidential"), "\(body)") }
        #expect(use["action"] == "setText" && output["stream"] == "stdout" && output["bytes"] == "<12 bytes>")
    }

    @Test func `a packet that stands for a hundred thousand values costs no more than a few thousand`() throws {
        var value: PropertyList = "x"
        for _ in 0..<16 { value = [value, value] }
        let reduced = ContentReduction.payload(try (["value": value] as PropertyList).encodeBinary(), of: .itemLoaded)
        #expect(count(reduced) < 10_000)
    }

    private func count(_ value: PropertyList) -> Int {
        switch value {
        case .array(let values): values.reduce(1) { $0 + count($1) }
        case .dictionary(let entries): entries.values.reduce(1) { $0 + count($1) }
        default: 1
        }
    }
}
