// LargeDataTests: large data travels in sealed memory beside the property list.

import ExtensionItems
import Foundation
import Glibc
import LinuxSystem
import PropertyListCoding
import Testing

@Suite struct LargeDataTests {
    @Test func dataAboveTheBoundTravelsBesideTheList() throws {
        let small = Data(repeating: 1, count: 32 * 1024)
        let large = Data(repeating: 2, count: 32 * 1024 + 1)
        #expect(try encodeValue(small).descriptors.isEmpty)
        let encoded = try encodeValue(["large": large, "small": small])
        #expect(encoded.descriptors.count == 1)
        #expect(encoded.plist.dictionary?["large"] == ["$kind": "data", "descriptor": 0])
        let read = try #require(try decodeValue(encoded) as? [String: Data])
        #expect(read == ["large": large, "small": small])
    }

    @Test func theArrivedDataMayBeChanged() throws {
        var read = try #require(try decodeValue(encodeValue(Data(repeating: 2, count: 100_000))) as? Data)
        read[0] = 9
        #expect(read[0] == 9 && read[1] == 2)
    }

    @Test func dataBeyondTheDescriptorsOfAPacketStaysInTheList() throws {
        let list = (0..<20).map { Data(repeating: UInt8($0), count: 40_000) }
        let encoded = try encodeValue(list)
        #expect(encoded.descriptors.count == 15)
        #expect(try decodeValue(encoded) as? [Data] == list)
    }

    @Test func returnedRepresentationsShareTheDescriptorsOfTheirItems() async throws {
        let item = NSExtensionItem()
        item.attachments = (0..<3).map { turn in
            NSItemProvider(
                item: NSData(data: Data(repeating: UInt8(turn), count: 50_000)), typeIdentifier: "public.data")
        }
        item.userInfo?["thumbnail"] = Data(repeating: 9, count: 50_000)
        let back = try #require(try await returned([item]).first)
        for (turn, provider) in (back.attachments ?? []).enumerated() {
            let data = try await provider.loadItem(forTypeIdentifier: "public.data", as: Data.self)
            #expect(data == Data(repeating: UInt8(turn), count: 50_000))
        }
        #expect(back.attachments?.count == 3)
        #expect(back.userInfo?["thumbnail"] as? Data == Data(repeating: 9, count: 50_000))
    }

    @Test func aLazyLoadBringsLargeData() async throws {
        let large = Data(repeating: 3, count: 2_000_000)
        let item = NSExtensionItem()
        item.attachments = [NSItemProvider(item: NSData(data: large), typeIdentifier: "public.png")]
        let remote = try #require(try sent([item], table: ProviderTable()).first?.attachments?.first)
        #expect(try await remote.loadItem(forTypeIdentifier: "public.image", as: Data.self) == large)
    }

    @Test func oneDescriptorNamedOftenIsReadOnce() throws {
        let encoded = try encodeValue(Data(repeating: 4, count: 1_000_000))
        let list = PropertyList.array(Array(repeating: encoded.plist, count: 1000))
        let read = try #require(
            try decodeValue(EncodedValue(plist: list, descriptors: encoded.descriptors)) as? NSArray)
        #expect(read.count == 1000)
    }

    /// `F_SEAL_…` of fcntl(2), which the C library's module leaves out.
    private static let (shrink, grow, write): (Int32, Int32, Int32) = (2, 4, 8)
    private static let addSeals: Int32 = 1033

    /// Memory that its owner could still cut, or write to, while it is read.
    @Test(arguments: [0, shrink | grow, write]) func memoryWithoutAllSealsIsRefused(seals: Int32) throws {
        // The C library's module leaves memfd_create(2) out.
        typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
        let address = try #require(dlsym(nil, "memfd_create"))
        let allowsSealing: UInt32 = 2
        let raw = unsafeBitCast(address, to: Create.self)("stranger", 1 | allowsSealing)
        try #require(raw >= 0)
        let memory = SharedDescriptor(owning: raw)
        try #require(ftruncate(raw, 100_000) == 0 && fcntl(raw, Self.addSeals, seals) == 0)
        #expect {
            try decodeValue(EncodedValue(plist: ["$kind": "data", "descriptor": 0], descriptors: [memory]))
        } throws: {
            if case .unreadableDescriptor = $0 as? ItemCodingError { true } else { false }
        }
    }

    /// Its pages may be missing when they are read, seals or not.
    @Test func sealedMemoryInHugePagesIsRefused() throws {
        typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
        let address = try #require(dlsym(nil, "memfd_create"))
        let (allowsSealing, hugePages): (UInt32, UInt32) = (2, 4)
        let raw = unsafeBitCast(address, to: Create.self)("stranger", 1 | allowsSealing | hugePages)
        // A kernel that has none can be sent none.
        if raw < 0 { return }
        let memory = SharedDescriptor(owning: raw)
        let size = 1 << 30
        let seals = Self.shrink | Self.grow | Self.write
        try #require(ftruncate(raw, off_t(size)) == 0 && fcntl(raw, Self.addSeals, seals) == 0)
        #expect(throws: ItemCodingError.self) {
            try decodeValue(EncodedValue(plist: ["$kind": "data", "descriptor": 0], descriptors: [memory]))
        }
        #expect(throws: SealedMemoryError.notMemory) { try SealedMemory.check(raw, maximumSize: 2 * size) }
    }

    @Test func descriptorsThatAreNoSealedMemoryAreRefused() throws {
        let raw = open("/dev/zero", O_RDONLY | O_CLOEXEC)
        try #require(raw >= 0)
        let value = EncodedValue(
            plist: ["$kind": "data", "descriptor": 0], descriptors: [SharedDescriptor(owning: raw)])
        #expect { try decodeValue(value) } throws: {
            if case .unreadableDescriptor = $0 as? ItemCodingError { true } else { false }
        }
    }
}
