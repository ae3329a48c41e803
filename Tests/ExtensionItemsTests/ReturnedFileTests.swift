// ReturnedFileTests: files that an extension gives back: they travel open, and nothing is read by name.

import ExtensionItems
import Foundation
import Glibc
import LinuxSystem
import PropertyListCoding
import Testing
import UniformTypeIdentifiers

@Suite struct ReturnedFileTests {
    @Test func aFileIsReturnedWithItsBytesWhateverBecomesOfItsName() async throws {
        try await withItemDirectory { directory in
            let file = directory.appendingPathComponent("result.txt")
            try Data("bytes".utf8).write(to: file)
            let own = try #require(NSItemProvider(contentsOf: file))
            let back = try #require(try await returned([item(of: own)]).first?.attachments?.first)
            try FileManager.default.removeItem(at: file)
            try Data("another's".utf8).write(to: file)
            #expect(back.registeredTypeIdentifiers == ["public.plain-text", "public.file-url"])
            #expect(try await back.loadItem(forTypeIdentifier: "public.text") as? URL == file)
            #expect(
                try await back.loadItem(forTypeIdentifier: "public.file-url", as: String.self) == file.absoluteString)
            let again = try #require(try sent([item(of: back)], table: ProviderTable()).first?.attachments?.first)
            for provider in [back, again] {
                let url = try await provider.loadItem(forTypeIdentifier: "public.file-url", as: URL.self)
                // Another extension, to which it is given on, is to open it.
                #expect(provider === back ? url == file : try Data(contentsOf: url) == Data("bytes".utf8))
                #expect(try await provider.loadDataRepresentation(for: .plainText) == Data("bytes".utf8))
                let copied = try await provider.loadFileRepresentation(forTypeIdentifier: "public.file-url") { url in
                    #expect(url != file && url.lastPathComponent == "result.txt")
                    return try Data(contentsOf: url)
                }
                #expect(copied == Data("bytes".utf8))
                let lease = try await provider.loadInPlaceFileRepresentation(forTypeIdentifier: "public.text")
                #expect(!lease.isInPlace)
                #expect(try Data(contentsOf: lease.url) == Data("bytes".utf8))
            }
            #expect(try await back.loadItem(forTypeIdentifier: "public.text", as: Data.self) == Data("bytes".utf8))
            #expect(
                try await back.loadItem(forTypeIdentifier: "public.text", as: ItemImage.self).data == Data("bytes".utf8)
            )
            let wrapper = try await back.loadItem(forTypeIdentifier: "public.text", as: FileWrapper.self)
            #expect(wrapper.regularFileContents == Data("bytes".utf8) && wrapper.filename == "result.txt")
            await #expect {
                try await back.loadItem(forTypeIdentifier: "public.text", as: [String: Any].self)
            } throws: {
                code(of: $0) == -1200
            }
        }
    }

    @Test func filesTakeThePlacesThatDataLeaves() async throws {
        try await withItemDirectory { directory in
            let files = try (0..<20).map { number in
                let file = directory.appendingPathComponent("\(number).txt")
                try Data("\(number)".utf8).write(to: file)
                return try #require(NSItemProvider(contentsOf: file))
            }
            let data = (0..<5).map { number in
                NSItemProvider(
                    item: NSData(data: Data(repeating: UInt8(number), count: 50_000)), typeIdentifier: "public.data")
            }
            let item = NSExtensionItem()
            item.attachments = files + data
            let encoded = try await withCheckedThrowingContinuation { continuation in
                encodeReturnedItems([item]) { continuation.resume(with: $0) }
            }
            #expect(encoded.descriptors.count == 15)
            #expect(try encoded.plist.encodeBinary().count < 50_000, "all data is beside the list")
            let back = try #require(try decodeReturnedItems(encoded, table: ProviderTable()).first?.attachments)
            for (number, provider) in back.prefix(20).enumerated() {
                #expect(try await provider.loadDataRepresentation(for: .plainText) == Data("\(number)".utf8))
            }
            for (number, provider) in back.dropFirst(20).enumerated() {
                #expect(
                    try await provider.loadDataRepresentation(for: .data)
                        == Data(repeating: UInt8(number), count: 50_000))
            }
        }
    }

    private func encoded(_ attachments: [NSItemProvider]) async throws -> EncodedValue {
        let item = NSExtensionItem()
        item.attachments = attachments
        return try await withCheckedThrowingContinuation { continuation in
            encodeReturnedItems([item]) { continuation.resume(with: $0) }
        }
    }

    @Test func filesAreReadHoweverManyThereAreAndHoweverMuchDataBesideThem() async throws {
        try await withItemDirectory { directory in
            var files: [NSItemProvider] = []
            for number in 0..<40 {
                let file = directory.appendingPathComponent("\(number).txt")
                // The last is the largest, and the first has nothing in it.
                try Data(repeating: UInt8(number), count: number == 39 ? 1_000_000 : number * 10).write(to: file)
                files.append(try #require(NSItemProvider(contentsOf: file)))
            }
            let data = (0..<20).map { number in
                NSItemProvider(
                    item: NSData(data: Data(repeating: UInt8(number), count: 50_000)), typeIdentifier: "public.data")
            }
            let encoded = try await encoded(files + data)
            #expect(encoded.descriptors.count == 15)
            let back = try #require(try decodeReturnedItems(encoded, table: ProviderTable()).first?.attachments)
            try FileManager.default.removeItem(at: directory.appendingPathComponent("7.txt"))
            for (number, provider) in back.prefix(40).enumerated() {
                let expected = Data(repeating: UInt8(number), count: number == 39 ? 1_000_000 : number * 10)
                #expect(try await provider.loadDataRepresentation(for: .plainText) == expected)
                #expect(try await provider.loadItem(forTypeIdentifier: "public.plain-text", as: Data.self) == expected)
                #expect(
                    try await provider.loadItem(forTypeIdentifier: "public.file-url", as: URL.self).lastPathComponent
                        == "\(number).txt")
                let copied = try await provider.loadFileRepresentation(forTypeIdentifier: "public.plain-text") { url in
                    #expect(url.lastPathComponent == "\(number).txt")
                    return try Data(contentsOf: url)
                }
                #expect(copied == expected)
                let wrapper = try await provider.loadItem(forTypeIdentifier: "public.plain-text", as: FileWrapper.self)
                #expect(wrapper.regularFileContents == expected)
            }
            for (number, provider) in back.dropFirst(40).enumerated() {
                #expect(
                    try await provider.loadDataRepresentation(for: .data)
                        == Data(repeating: UInt8(number), count: 50_000))
            }
            // Given on to another extension they are files still.
            let again = try #require(try sent([item(of: back[7])], table: ProviderTable()).first?.attachments?.first)
            #expect(try await again.loadDataRepresentation(for: .plainText) == Data(repeating: 7, count: 70))
        }
    }

    @Test func theLargestFilesPassOpenAndTheBytesOfOthersAreBounded() async throws {
        try await withItemDirectory { directory in
            let size = 5 << 20
            let files = try (0..<30).map { number in
                let file = directory.appendingPathComponent("\(number).txt")
                try Data().write(to: file)
                #expect(truncate(file.path, off_t(size + number)) == 0)
                return try #require(NSItemProvider(contentsOf: file))
            }
            let encoded = try await encoded(files)
            #expect(encoded.descriptors.count == 15)
            let back = try #require(try decodeReturnedItems(encoded, table: ProviderTable()).first?.attachments)
            var read: [Int] = []
            for (number, provider) in back.enumerated() {
                guard let data = try? await provider.loadDataRepresentation(for: .plainText) else {
                    await refuses("\(number)") { try await provider.loadDataRepresentation(for: .plainText) }
                    continue
                }
                #expect(data.count == size + number)
                read.append(number)
            }
            // Of the sixteen smallest twelve are 64 MiB; fourteen pass open.
            #expect(read == Array(0..<12) + Array(16..<30))
        }
    }

    @Test func bytesThatAreNotThereAreRefused() throws {
        let memory = SharedDescriptor(try SealedMemory.make([1, 2, 3]))
        let raw = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
        try #require(raw >= 0)
        let file = SharedDescriptor(owning: raw)
        let url: PropertyList = ["$kind": "url", "string": "file:///x"]
        func back(_ value: PropertyList, _ bytes: PropertyList, _ descriptor: SharedDescriptor) throws
            -> [NSExtensionItem]
        {
            let provider: PropertyList = [
                "$kind": "loadedProvider",
                "representations": [["type": "public.data", "value": value, "bytes": bytes]],
            ]
            let plist: PropertyList = [["$kind": "item", "userInfo": ["NSExtensionItemAttachmentsKey": [provider]]]]
            return try decodeReturnedItems(
                EncodedValue(plist: plist, descriptors: [descriptor]), table: ProviderTable())
        }
        for (offset, length) in [(-1, 1), (0, -1), (0, 4), (4, 0), (3, 1), (.max, 1), (1, .max), (.min, .max)]
            as [(Int64, Int64)]
        {
            #expect(throws: ItemCodingError.self, "\(offset) \(length)") {
                try back(url, ["descriptor": 0, "offset": .integer(offset), "length": .integer(length)], memory)
            }
        }
        let all: PropertyList = ["descriptor": 0, "offset": 0, "length": 3]
        #expect(try back(url, all, memory).count == 1)
        let strange: [PropertyList] = [
            "x", ["offset": 0, "length": 0], ["descriptor": 1, "offset": 0, "length": 0],
            ["descriptor": 0, "length": 0],
            ["descriptor": 0, "offset": 0], ["descriptor": "0", "offset": 0, "length": 0],
        ]
        #expect(throws: ItemCodingError.self, "no URL") { try back("x", all, memory) }
        #expect(throws: ItemCodingError.self, "not in memory") { try back(url, all, file) }
        for bytes in strange {
            #expect(throws: ItemCodingError.self, "\(bytes)") { try back(url, bytes, memory) }
        }
    }

    /// A confined extension could name any file of the host's user.
    @Test func aFileThatWasReturnedByItsNameAloneIsNotRead() async throws {
        try await withItemDirectory { directory in
            let secret = directory.appendingPathComponent("secret.txt")
            try Data("secret".utf8).write(to: secret)
            let url: PropertyList = ["$kind": "url", "string": .string(secret.absoluteString)]
            let representations: PropertyList = [
                ["type": "public.plain-text", "value": url], ["type": "public.file-url", "value": url],
            ]
            let provider: PropertyList = ["$kind": "loadedProvider", "representations": representations]
            let plist: PropertyList = [["$kind": "item", "userInfo": ["NSExtensionItemAttachmentsKey": [provider]]]]
            let returned = try decodeReturnedItems(EncodedValue(plist: plist, descriptors: []), table: ProviderTable())
            let back = try #require(returned.first?.attachments?.first)
            // Given on to another extension it is no more.
            let again = try #require(try sent([item(of: back)], table: ProviderTable()).first?.attachments?.first)
            for provider in [back, again] {
                await refuses("data") { try await provider.loadDataRepresentation(for: .plainText) }
                await refuses("file") {
                    try await provider.loadFileRepresentation(forTypeIdentifier: "public.plain-text") { _ in }
                }
                await refuses("URL's file") {
                    try await provider.loadFileRepresentation(forTypeIdentifier: "public.file-url") { _ in }
                }
                await refuses("place") {
                    try await provider.loadInPlaceFileRepresentation(forTypeIdentifier: "public.plain-text")
                }
                // The name itself is nobody's secret.
                #expect(try await provider.loadItem(forTypeIdentifier: "public.file-url", as: URL.self) == secret)
            }
            await refuses("Data") { try await back.loadItem(forTypeIdentifier: "public.plain-text", as: Data.self) }
            await refuses("image") {
                try await back.loadItem(forTypeIdentifier: "public.plain-text", as: ItemImage.self)
            }
            await refuses("wrapper") {
                try await back.loadItem(forTypeIdentifier: "public.plain-text", as: FileWrapper.self)
            }
            await refuses("preview", "preview") { try await back.loadPreviewImage() }
        }
    }

    private func refuses(_ what: String, _ reason: String = "by its name only", _ load: () async throws -> Any) async {
        do {
            _ = try await load()
            Issue.record("\(what) was read")
        } catch {
            let error = error as NSError
            #expect(error.code == -1000 && error.localizedDescription.contains(reason), "\(what): \(error)")
        }
    }

    @Test func aReturnedFileThatIsNoneIsRefused() throws {
        let raw = open("/dev/zero", O_RDONLY | O_CLOEXEC)
        try #require(raw >= 0)
        let device = SharedDescriptor(owning: raw)
        let url: PropertyList = ["$kind": "url", "string": "file:///x"]
        for (value, place, descriptors) in [
            (url, 0, [device]), (url, 1, [device]), (url, -1, [device]), (url, "0", [device]), ("x", 0, [device]),
            (url, 0, []),
        ] as [(PropertyList, PropertyList, [SharedDescriptor])] {
            let provider: PropertyList = [
                "$kind": "loadedProvider", "representations": [["type": "public.data", "value": value, "file": place]],
            ]
            let plist: PropertyList = [["$kind": "item", "userInfo": ["NSExtensionItemAttachmentsKey": [provider]]]]
            #expect(throws: ItemCodingError.self) {
                try decodeReturnedItems(EncodedValue(plist: plist, descriptors: descriptors), table: ProviderTable())
            }
        }
    }
}
