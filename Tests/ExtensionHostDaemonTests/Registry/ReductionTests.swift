// Reduction, criteria and versions: the rules of pluginkit -m as tables (spec 2.3).

import ExtensionProtocol
import ExtensionRegistry
import PropertyListCoding
import Testing

@Suite struct ReductionTests {
    private static func copy(
        _ identifier: String, _ version: String, at path: String, registered: Int, problems: [String] = [],
        information: PropertyList = [:]
    ) throws -> RegisteredCopy {
        RegisteredCopy(
            bundle: ExtensionBundle(
                identifier: identifier, version: version, point: "point",
                executable: problems.isEmpty ? "\(path)/x" : nil,
                path: path,
                problems: problems, information: try information.encodeBinary()), uuid: path, registered: registered)
    }

    /// Five copies of `a` and a broken one, two of `b`.
    private static func registry(_ elections: [String: Election] = [:]) throws -> ExtensionRegistry {
        ExtensionRegistry(
            copies: [
                try copy("b", "1", at: "/7", registered: 2), try copy("b", "1.0", at: "/8", registered: 1),
                try copy("a", "1.10", at: "/1", registered: 10), try copy("a", "1.9", at: "/2", registered: 90),
                try copy("a", "1.10", at: "/3", registered: 30), try copy("a", "1.9", at: "/4", registered: 40),
                try copy("a", "1.10.0", at: "/5", registered: 20),
                try copy("a", "2", at: "/6", registered: 99, problems: ["broken"]),
            ], elections: elections)
    }

    private static func paths(_ copies: [RegisteredCopy]) -> String { copies.map(\.bundle.path).joined(separator: " ") }

    // spec: P-170
    @Test func byDefaultTheLastInstanceOfTheHighestVersionIsLeft() throws {
        let registry = try Self.registry()
        #expect(Self.paths(registry.copies(matching: [])) == "/3 /7")
        #expect(Self.paths(registry.winners) == "/3 /7")
        #expect(registry["a"]?.rule == .lastRegistered && registry["b"]?.rule == .lastRegistered)
    }

    // spec: P-171
    @Test func withAllVersionsTheLastRegisteredOfEachVersionIsLeft() throws {
        #expect(Self.paths(try Self.registry().copies(matching: [], allVersions: true)) == "/3 /2 /7")
    }

    // spec: P-172
    @Test func withAllCopiesEverythingIsLeftDisabledBundlesToo() throws {
        let registry = try Self.registry()
        #expect(Self.paths(registry.copies(matching: [], allCopies: true)) == "/1 /2 /3 /4 /5 /6 /7 /8")
        #expect(
            registry.copies.map(\.rule) == [
                .registeredEarlier, .lowerVersion, .lastRegistered, .lowerVersion, .registeredEarlier, .disabled,
                .lastRegistered,
                .registeredEarlier,
            ])
    }

    // spec: P-173
    @Test func thePrefixTellsElectionAndSupersession() throws {
        for (election, prefix) in [(Election.use, "+"), (.ignore, "-"), (.default, " ")] {
            let registry = try Self.registry(["a": election])
            #expect(registry["a"]?.prefix == prefix && registry["a"]?.election == election)
            #expect(
                registry.copies.filter { $0.bundle.identifier == "a" }.map(\.prefix) == [
                    "=", "=", prefix, "=", "=", "=",
                ])
            #expect(registry["a"]?.isOffered == (election != .ignore))
            #expect(registry["b"]?.prefix == " ")
        }
        let nameless = try Self.copy("/x.appex", "0", at: "/x.appex", registered: 1, problems: ["no plist"])
        #expect(ExtensionRegistry(copies: [nameless]).copies[0].prefix == "?")
        var development = try Self.copy("dev.x", "0", at: "/x", registered: 1)
        development.bundle.registration = 1
        #expect(ExtensionRegistry(copies: [development]).copies[0].prefix == "!")
    }

    // spec: P-174
    @Test(arguments: [
        ("CFBundleVersion", "1 2 3"), ("CFBundleVersion=1", "1"), ("Rank=2", "2"), ("Rank=2.0", ""), ("Share=2.5", "3"),
        ("Flag", "2 3"),
        ("Flag=YES", "2"), ("Flag=0", "3"), ("NSExtensionAttributes", "3"), ("Kind=inner", "3"), ("Kind=middle", ""),
        ("Nothing", ""),
        ("NSExtensionIdentifier=id.2", "2"), ("NSExtensionIdentifier", "1 2 3"),
        ("NSExtensionPointName=point", "1 2 3"),
        ("NSExtensionPointIdentifier=other", ""), ("CFBundleVersion=", ""), ("Words=a", ""), ("Words", "1"),
    ])
    func aCriterionAsksForAKeyOrForItsValue(_ text: String, _ expected: String) throws {
        let information: [PropertyList] = [
            ["CFBundleVersion": "1", "Kind": "outer", "Words": ["a", "b"]],
            ["CFBundleVersion": "2", "Rank": 2, "Flag": true],
            [
                "CFBundleVersion": "3", "Share": 2.5, "Flag": false, "Kind": "outer",
                "NSExtension": ["Kind": "middle", "NSExtensionAttributes": ["Kind": "inner"]],
            ],
        ]
        let copies = try information.enumerated().map { number, information in
            try Self.copy("id.\(number + 1)", "1", at: "/\(number + 1)", registered: number, information: information)
        }
        let criterion = try #require(Criterion(written: text))
        let found = ExtensionRegistry(copies: copies).copies(matching: [criterion])
        #expect(found.map { String($0.bundle.path.dropFirst()) }.joined(separator: " ") == expected)
    }

    // spec: P-174
    @Test func criteriaHoldBeforeCopiesAreReduced() throws {
        let old = try Self.copy("a", "1", at: "/old", registered: 1, information: ["Colour": "red"])
        let new = try Self.copy("a", "2", at: "/new", registered: 2, information: ["Colour": "blue"])
        let registry = ExtensionRegistry(copies: [old, new])
        let found = registry.copies(matching: [Criterion(key: "Colour", value: "red"), .identifier("a")])
        #expect(found.map(\.bundle.path) == ["/old"] && found[0].prefix == "=" && !found[0].isWinner)
        #expect(registry.copies(matching: [Criterion(key: "Colour", value: "red"), .identifier("b")]).isEmpty)
        #expect(Criterion(written: "=x") == nil && Criterion(written: "") == nil)
    }

    @Test(arguments: [
        ("1", "2"), ("9", "10"), ("1.9", "1.10"), ("1", "1.0.1"), ("", "1"), ("0.9.9", "1"), ("1.2.3", "1.2.4"),
        ("99999999999999999999", "100000000000000000000"), ("1.2b3", "1.3"), ("x", "0.1"),
    ])
    func versionsAreComparedNumberByNumber(_ lower: String, _ higher: String) {
        #expect(BundleVersion(lower) < BundleVersion(higher))
        #expect(!(BundleVersion(higher) < BundleVersion(lower)) && BundleVersion(lower) != BundleVersion(higher))
    }

    @Test(arguments: [("1", "1.0.0"), ("1.2", "01.002"), ("", "0"), ("x", "0.0"), ("1.2b3", "1.2")])
    func versionsWithTheSameNumbersAreEqual(_ one: String, _ other: String) {
        #expect(BundleVersion(one) == BundleVersion(other))
        #expect(Set([BundleVersion(one), BundleVersion(other)]).count == 1)
        #expect(
            BundleVersion("1.2.3").isWellFormed && !BundleVersion("1.2b3").isWellFormed
                && !BundleVersion("1..2").isWellFormed)
    }
}
