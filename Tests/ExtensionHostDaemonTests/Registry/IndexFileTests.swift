// IndexFileTests: the file of the index says what was written or nothing at all, whatever happens to its bytes.

import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import PropertyListCoding
import Testing

@Suite struct IndexFileTests {
    /// A whole index of some bundles, as a discovery writes it.
    private static func bytes(of count: Int = 3) async throws -> [UInt8] {
        let (folder, state) = (try ApplicationsFolder(), try ApplicationsFolder())
        for number in 0..<count { try folder.good("App", "E\(number)", identifier: "id.e\(number)") }
        // Only a failing test waits so long.
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end {
            let found = try Found([folder.path], state: state.path)
            _ = try await found.first()
            // Answered after the index was written.
            _ = try? await found.remove("/nowhere")
            if IndexFile(folder: state.path)?.wholeCount == count { break }
        }
        return try readFile("\(state.path)/\(IndexFile.name)", maximumSize: 1 << 20)
    }

    /// All that can be asked of what was read.
    private static func ask(_ file: IndexFile) -> Int {
        file.bundles.reduce(0) { sum, bundle in
            sum + bundle.version.count + bundle.displayName.count + (bundle.executable?.count ?? 0)
                + bundle.warnings.count
                + bundle.information.count + bundle.informationDictionary.count + bundle.appTypeDeclarations.count
                + (bundle.containingApp?.count ?? 0) + (bundle.principalClass?.count ?? 0)
                + (bundle.declaration.point?.count ?? 0)
        }
    }

    @Test func whatWasWrittenIsRead() async throws {
        let bytes = try await Self.bytes()
        let file = try #require(IndexFile(bytes))
        #expect(file.bundles.map(\.identifier) == ["id.e0", "id.e1", "id.e2"] && file.bytes == bytes)
        #expect(IndexFile(IndexFile.sealed(bytes)) != nil && IndexFile.sealed(bytes) == bytes)
    }

    @Test func aFileThatWasCutAnywhereIsNone() async throws {
        let bytes = try await Self.bytes()
        for count in 0..<bytes.count {
            #expect(IndexFile(Array(bytes[..<count])) == nil)
            // With a checksum that fits, lengths tell.
            #expect(IndexFile(IndexFile.sealed(Array(bytes[..<count]))) == nil)
        }
        #expect(IndexFile(bytes + [0]) == nil && IndexFile(IndexFile.sealed(bytes + [0])) == nil)
    }

    @Test func aBitThatIsAnotherAnywhereMakesItNone() async throws {
        var bytes = try await Self.bytes()
        for place in bytes.indices {
            for bit in 0..<8 {
                bytes[place] ^= 1 << UInt8(bit)
                #expect(IndexFile(bytes) == nil, "bit \(bit) of byte \(place)")
                bytes[place] ^= 1 << UInt8(bit)
            }
        }
        #expect(IndexFile(bytes) != nil)
    }

    /// Whoever can write the file can write its checksum; what is read then is within the file, and can be asked and
    /// written again.
    @Test func hostileBytesWithTheRightChecksumAreReadWithinTheirBounds() async throws {
        let bytes = try await Self.bytes()
        var random = SystemRandomNumberGenerator()
        var (read, refused, asked) = (0, 0, 0)
        func look(_ bytes: [UInt8]) {
            guard let file = IndexFile(IndexFile.sealed(bytes)) else { return refused += 1 }
            read += 1
            asked += Self.ask(file)
            // Text in it may have been mended, once.
            let mended = file.bytes
            #expect(IndexFile(mended)?.bytes == mended)
        }
        for place in bytes.indices.dropFirst(16) {
            for value: UInt8 in [0, 0xff, 0x7f, 0x80, bytes[place] &+ 1] {
                var changed = bytes
                changed[place] = value
                look(changed)
            }
        }
        for _ in 0..<2000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                changed[Int.random(in: 16..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random() { changed.removeSubrange(Int.random(in: 36..<changed.count, using: &random)...) }
            look(changed)
        }
        #expect(read > 100 && refused > 100 && asked > 0)
    }

    // MARK: By hand

    /// An index as its page of code describes it, written without that code: for what no daemon would write.
    private struct Draft {
        var count: UInt32?
        var entries: [Entry] = [Entry()]

        struct Entry {
            /// In place of its own.
            var length: UInt32?
            var pathLength: UInt32?
            /// A stamp, and a bundle.
            var flags: UInt64 = 3
            var path: [UInt8] = Array("/A.app/PlugIns/E.appex".utf8)
            var bundle: [UInt8] = Bundle().bytes
            /// What stands there in place of all that follows the length.
            var contents: [UInt8]?

            var bytes: [UInt8] {
                // UUID, time; flags; stamps of three files, and a listing.
                var bytes =
                    [UInt8](repeating: 7, count: 24) + Draft.bytes(flags) + [UInt8](repeating: 0, count: 120 + 48)
                bytes += Draft.bytes(pathLength ?? UInt32(path.count)) + path + bundle
                bytes = contents ?? bytes
                return Draft.bytes(length ?? UInt32(bytes.count)) + bytes
            }
        }

        struct Bundle {
            var flags: UInt8 = 0
            var warningCount: UInt8 = 1
            /// Identifier, point, two texts about the offer; ten details, of which four may be missing; warnings.
            var blocks: [String?] =
                ["id.e", "a.point", nil, nil, "1", "1.0", "E", "e"] + [String?](repeating: nil, count: 4) + [
                    "", "", "Mind",
                ]
            var rest: [UInt8] = []

            var bytes: [UInt8] {
                [flags, warningCount]
                    + blocks.flatMap { Draft.bytes(Int32($0?.utf8.count ?? -1)) + Array(($0 ?? "").utf8) } + rest
            }
        }

        static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }

        var file: IndexFile? {
            let head = Array("exthost".utf8) + [5] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 1, count: 16)
            return IndexFile(
                IndexFile.sealed(head + Self.bytes(count ?? UInt32(entries.count)) + entries.flatMap(\.bytes)))
        }
    }

    @Test func anIndexThatIsWrittenByHandIsRead() throws {
        var draft = Draft()
        draft.entries.append(Draft.Entry(flags: 0, path: Array("/x".utf8), bundle: []))
        let file = try #require(draft.file)
        #expect(file.wholeCount == 0)
        let bundle = try #require(file.bundles.first)
        #expect(file.bundles.count == 1 && bundle.identifier == "id.e" && bundle.point == "a.point")
        #expect(bundle.path == "/A.app/PlugIns/E.appex" && bundle.version == "1" && bundle.warnings == ["Mind"])
        #expect(bundle.principalClass == nil && bundle.executable == nil && bundle.information == [])
        #expect(Draft(entries: []).file?.bundles == [])
        // It is written as it stands there, but that what has no bundle that can be trusted has none.
        let again = try #require(IndexFile(file.bytes))
        #expect(again.bundles == file.bundles && again.bytes == file.bytes)
    }

    /// What the index knew of a bundle stays when it is changed: a fault is added to all the rest.
    @Test func aBundleOfTheIndexThatIsDisabledKeepsTheRest() throws {
        let known = try #require(Draft().file?.bundles.first)
        var changed = known
        changed.disable("it is not wanted. Want it")
        #expect(changed.problems == ["it is not wanted. Want it"] && known.problems == [] && changed != known)
        #expect((changed.version, changed.shortVersion, changed.displayName) == ("1", "1.0", "E"))
        #expect(changed.identifier == known.identifier && changed.point == known.point && changed.path == known.path)
        #expect(changed.shortName == "e" && changed.warnings == ["Mind"] && changed.executable == nil && !changed.isApp)
    }

    /// One thing is wrong with each; the checksum is right.
    @Test(arguments: [
        "more entries than there are", "more entries than bytes", "fewer entries than there are",
        "an entry beyond the end",
        "an entry without a path", "an empty entry", "a path beyond the entry", "a relative path", "an empty path",
        "a path with a zero", "a bundle without a stamp", "bytes where no bundle is said to be",
        "no bundle where one is said to be",
        "half a head", "no identifier", "no point", "no text about the offer", "a version that is missing",
        "an Info.plist that is missing", "fewer warnings than said", "more warnings than said", "a byte too many",
        "a block beyond the end", "a block of negative length",
    ])
    func anEntryThatNoDaemonWroteMakesTheFileNone(_ fault: String) throws {
        var draft = Draft()
        var bundle = Draft.Bundle()
        switch fault {
        case "more entries than there are": draft.count = 2
        case "more entries than bytes": draft.count = .max
        case "fewer entries than there are": draft.count = 0
        case "an entry beyond the end": draft.entries[0].length = .max
        case "an entry without a path": draft.entries[0].contents = [UInt8](repeating: 0, count: 200)
        case "an empty entry": draft.entries[0].contents = []
        case "a path beyond the entry": draft.entries[0].pathLength = .max
        case "a relative path": draft.entries[0].path = Array("A.appex".utf8)
        case "an empty path": draft.entries[0].path = []
        case "a path with a zero": draft.entries[0].path = [0x2F, 0x41, 0]
        case "a bundle without a stamp": draft.entries[0].flags = 2
        case "bytes where no bundle is said to be": draft.entries[0].flags = 1
        case "no bundle where one is said to be": draft.entries[0].bundle = []
        case "half a head": draft.entries[0].bundle = [0]
        case "no identifier": bundle.blocks[0] = nil
        case "no point": bundle.blocks[1] = nil
        case "no text about the offer": bundle.blocks.removeLast(bundle.blocks.count - 3)
        case "a version that is missing": bundle.blocks[4] = nil
        case "an Info.plist that is missing": bundle.blocks[12] = nil
        case "fewer warnings than said": bundle.warningCount = 2
        case "more warnings than said": bundle.warningCount = 0
        case "a byte too many": bundle.rest = [0]
        case "a block beyond the end": (bundle.warningCount, bundle.rest) = (2, Draft.bytes(Int32.max))
        default: (bundle.warningCount, bundle.rest) = (2, Draft.bytes(Int32(-2)))
        }
        if draft.entries[0].bundle == Draft.Bundle().bytes { draft.entries[0].bundle = bundle.bytes }
        #expect(draft.file == nil)
    }

    /// What is too short for a head has no checksum either.
    @Test func aFileWithoutAHeadIsNone() {
        for count in 0..<36 {
            let bytes = [UInt8](repeating: 1, count: count)
            #expect(IndexFile(IndexFile.sealed(bytes)) == nil && (count >= 16 || IndexFile.sealed(bytes) == bytes))
        }
    }

    /// Of points there are few; an index with more of them than are shared is read all the same.
    @Test func anIndexWithManyPointsIsRead() throws {
        let points = (0..<100).map { "point.\($0)" }
        let entries = points.enumerated().map { number, point in
            var bundle = Draft.Bundle()
            bundle.blocks[1] = point
            return Draft.Entry(path: Array("/\(1000 + number)".utf8), bundle: bundle.bytes)
        }
        #expect(Draft(entries: entries).file?.bundles.map(\.point) == points)
    }

    /// What another daemon left half-written is passed over and replaced.
    @Test func aDraftThatAKilledDaemonLeftIsReplaced() async throws {
        let (folder, state) = (try ApplicationsFolder(), try ApplicationsFolder())
        try folder.good("App", "One", identifier: "id.One")
        let draft = "\(state.path)/\(IndexFile.name).new"
        try state.write(draft, "half of an ind")
        do {
            let found = try Found([folder.path], state: state.path)
            #expect(try await found.first().registry["id.One"] != nil)
            _ = try? await found.remove("/nowhere")
        }
        // A walk that follows at once may be writing it once more.
        Found.awaitEnd(of: state.path)
        #expect(IndexFile(folder: state.path) != nil && access(draft, F_OK) != 0)
    }

    /// A folder in its place cannot be replaced: said once, and everything else works.
    @Test func anIndexThatCannotBeWrittenIsSaid() async throws {
        let (folder, state) = (try ApplicationsFolder(), try ApplicationsFolder())
        try folder.good("App", "One", identifier: "id.One")
        try state.makeFolder("\(state.path)/\(IndexFile.name)/full")
        let found = try Found([folder.path], state: state.path)
        #expect(
            await found.delivery { $0.notices.contains { $0.contains("index of bundles could not be written") } } != nil
        )
        _ = try await found.elect(.ignore, "id.One")
        #expect(await found.delivery { $0.registry["id.One"]?.election == .ignore } != nil)
    }
}
