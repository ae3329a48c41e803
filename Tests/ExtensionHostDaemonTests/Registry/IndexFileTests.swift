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
            sum + bundle.version.count + bundle.displayName.count + (bundle.executable?.count ?? 0) + bundle.warnings.count
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

    /// Whoever can write the file can write its checksum; what is read then is within the file, and can be asked and written again.
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

    /// What another daemon left half-written is passed over and replaced.
    @Test func aDraftThatAKilledDaemonLeftIsReplaced() async throws {
        let (folder, state) = (try ApplicationsFolder(), try ApplicationsFolder())
        try folder.good("App", "One", identifier: "id.One")
        let draft = "\(state.path)/\(IndexFile.name).new"
        try state.write(draft, "half of an ind")
        let found = try Found([folder.path], state: state.path)
        #expect(try await found.first().registry["id.One"] != nil)
        _ = try? await found.remove("/nowhere")
        #expect(IndexFile(folder: state.path) != nil && access(draft, F_OK) != 0)
    }

    /// A folder in its place cannot be replaced: said once, and everything else works.
    @Test func anIndexThatCannotBeWrittenIsSaid() async throws {
        let (folder, state) = (try ApplicationsFolder(), try ApplicationsFolder())
        try folder.good("App", "One", identifier: "id.One")
        try state.makeFolder("\(state.path)/\(IndexFile.name)/full")
        let found = try Found([folder.path], state: state.path)
        #expect(await found.delivery { $0.notices.contains { $0.contains("index of bundles could not be written") } } != nil)
        _ = try await found.elect(.ignore, "id.One")
        #expect(await found.delivery { $0.registry["id.One"]?.election == .ignore } != nil)
    }
}
