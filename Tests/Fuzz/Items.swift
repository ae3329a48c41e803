// items: a property list as the items of a request, as returned items, as a value, an error, a load's answer and its
// options.

import Dispatch
import ExtensionItems
import Foundation
import Glibc
import LinuxSystem
import PropertyListCoding

let inputPrefix = 0
let inputWords = [
    "$kind", "null", "url", "data", "dictionary", "attributedString", "error", "item", "provider", "loadedProvider",
    "ownProvider",
    "string", "base", "descriptor", "value", "runs", "location", "length", "attributes", "domain", "code",
    "description",
    "underlying", "itemsAndErrors", "userInfo", "number", "types", "name", "representations", "type", "NSLink",
    "bytes", "offset",
    "file", "path", "inPlace", "options", "expected", "NSURL", "NSData", "NSDictionary", "ItemImage", "FileWrapper",
    NSItemProviderPreferredImageSizeKey, "public.data",
    NSExtensionItemAttachmentsKey, NSExtensionItemAttributedTitleKey, NSExtensionItemAttributedContentTextKey,
    NSLocalizedDescriptionKey, "public.url", "public.plain-text", "https://example.org/a?b#c", "http://[", "%zz", "//x",
    "../y",
]
let inputTakesXML = false

/// Answers no load.
private struct NoLoader: ItemLoader {
    func load(
        _ question: LoadQuestion, progress: @escaping @Sendable (Int64, Int64) -> Void,
        completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
    ) -> @Sendable () -> Void {
        completion(.failure(NSItemProvider.error(.itemUnavailableError, "nobody loads here")))
        return {}
    }
}

private let memory: SharedDescriptor = {
    do { return SharedDescriptor(try SealedMemory.make([1, 2, 3])) } catch { finding("no memory: \(error)") }
}()

/// The same memory as a file that can only be read.
private let file: SharedDescriptor = {
    let raw = open("/proc/self/fd/\(memory.raw)", O_RDONLY | O_CLOEXEC)
    guard raw >= 0 else { finding("no file: \(errno)") }
    return SharedDescriptor(owning: raw)
}()

/// Answers each load with the input.
private struct EchoLoader: ItemLoader {
    let value: EncodedValue

    func load(
        _ question: LoadQuestion, progress: @escaping @Sendable (Int64, Int64) -> Void,
        completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
    ) -> @Sendable () -> Void {
        completion(.success(value))
        return {}
    }
}

/// Two providers, so that the numbers 1 and 2 mean something on the way back.
private let table: ProviderTable = {
    let table = ProviderTable()
    for text in ["one", "two"] {
        table.register(NSItemProvider(item: text as NSString, typeIdentifier: "public.plain-text"))
    }
    return table
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = InputReader(start, count)
    guard let plist = try? PropertyList(binary: input.all(), limits: .packet) else { return 0 }
    let value = EncodedValue(plist: plist, descriptors: [memory, file])
    if let items = attempt({ () throws(ItemCodingError) in try decodeItems(value, loader: NoLoader()) }) {
        checkRequest(items)
    }
    if let items = attempt({ () throws(ItemCodingError) in try decodeReturnedItems(value, table: table) }) {
        for item in items { use(item) }
    }
    if let decoded = attempt({ () throws(ItemCodingError) in try decodeValue(value) }) { checkValue(decoded) }
    let error = decodeError(plist, table: table)
    must(!error.domain.isEmpty || !error.localizedDescription.isEmpty, "an error that says nothing")
    must(encodeError(error).dictionary != nil, "an error that cannot be written")
    do {
        _ = try decodeAnswer(plist, descriptors: [memory])
    } catch {
        _ = (error as NSError).localizedDescription
    }
    if let entries = plist.dictionary {
        checkLoads(value)
        // Nothing looks at the details of a question but for these.
        if entries["options"] != nil || entries["expected"] != nil { checkQuestion(plist) }
    }
    return 0
}

/// A load of each form whose owner answers with the input: one answer, which is a value or an error.
private func checkLoads(_ value: EncodedValue) {
    let item = NSExtensionItem()
    item.attachments = [NSItemProvider(item: "x" as NSString, typeIdentifier: "public.data")]
    guard
        let items = try? decodeItems(try encodeItems([item], into: ProviderTable()), loader: EchoLoader(value: value)),
        let provider = items.first?.attachments?.first
    else { finding("an item that cannot be sent") }
    let answered = DispatchSemaphore(value: 0)
    @Sendable func check(_ isThere: Bool, _ error: (any Error)?) {
        must(!isThere || error == nil, "both a value and an error")
        _ = error.map { ($0 as NSError).localizedDescription }
        answered.signal()
    }
    provider.loadItem(forTypeIdentifier: "public.data") { value, error in check(value != nil, error) }
    provider.loadItem(forTypeIdentifier: "public.data", as: [String: Any].self) { value, error in
        check(value != nil, error)
    }
    provider.loadItem(forTypeIdentifier: "public.data", as: ItemImage.self) { value, error in check(value != nil, error)
    }
    provider.loadDataRepresentation(forTypeIdentifier: "public.data") { data, error in
        must((data == nil) != (error == nil), "neither data nor an error")
        check(data != nil, error)
    }
    provider.loadFileRepresentation(forTypeIdentifier: "public.data") { url, error in
        must((url == nil) != (error == nil), "neither a file nor an error")
        // Whatever the owner calls it, it is a plain name in the folder of loads.
        must(
            url.map { !$0.lastPathComponent.hasPrefix(".") && access($0.path, R_OK) == 0 } ?? true,
            "a file that is not there")
        check(url != nil, error)
    }
    provider.loadInPlaceFileRepresentation(forTypeIdentifier: "public.data") { (lease: FileLease?, error) in
        lease?.close()
        check(lease != nil, error)
    }
    for _ in 0..<6 { must(answered.wait(timeout: .now() + 5) == .success, "a load without an answer") }
}

/// A question with the input as its details, to an owner that has what is asked for.
private func checkQuestion(_ details: PropertyList) {
    guard let provider = table[1] else { finding("the table lost its provider") }
    let answered = DispatchSemaphore(value: 0)
    let question = LoadQuestion(provider: 1, typeIdentifier: "public.plain-text", details: details)
    serveLoad(provider: provider, question) { _ in answered.signal() }
    must(answered.wait(timeout: .now() + 5) == .success, "a question without an answer")
}

/// What a program does with an item.
private func use(_ item: NSExtensionItem) {
    _ = item.description
    _ = (item.attributedTitle, item.attributedContentText)
    for provider in item.attachments ?? [] { _ = (provider.registeredTypeIdentifiers, provider.suggestedName) }
    guard let copy = item.copy() as? NSExtensionItem else { finding("a copy that is no item") }
    must(copy.userInfo?.count == item.userInfo?.count, "a copy with other entries")
}

/// Read and written again. An error says more the first time: its description becomes an entry.
private func again(_ value: EncodedValue) throws(ItemCodingError) -> EncodedValue {
    try encodeItems(decodeItems(value, loader: NoLoader()), into: ProviderTable())
}

private func checkRequest(_ items: [NSExtensionItem]) {
    for item in items { use(item) }
    do {
        let once = try again(encodeItems(items, into: ProviderTable()))
        let twice = try again(once)
        must(isSame(comparable(once.plist), comparable(twice.plist)), "items change:\n\(once.plist)\n\(twice.plist)")
    } catch {
        finding("items that were read cannot be written and read again: \(error)")
    }
}

private func checkValue(_ value: Any?) {
    do {
        let once = try encodeValue(decodeValue(encodeValue(value)))
        let twice = try encodeValue(decodeValue(once))
        must(isSame(comparable(once.plist), comparable(twice.plist)), "a value changes:\n\(once.plist)\n\(twice.plist)")
    } catch {
        finding("a value that was read cannot be written and read again: \(error)")
    }
}

/// Without what depends on the order in which a dictionary gives its entries, which is another each time: the numbers
/// of providers, and the list of items with their errors, which are told apart by identity.
private func comparable(_ value: PropertyList) -> PropertyList {
    switch value {
    case .array(let items): return .array(items.map(comparable))
    case .dictionary(let entries):
        var result = PropertyListDictionary()
        for (key, value) in entries {
            switch (entries["$kind"], key) {
            case ("provider", "number"): result[key] = 0
            case ("error", "itemsAndErrors"): result[key] = .integer(Int64(value.array?.count ?? 0))
            default: result[key] = comparable(value)
            }
        }
        return .dictionary(result)
    default: return value
    }
}

private func attempt<Value>(_ read: () throws(ItemCodingError) -> Value) -> Value? {
    do {
        return try read()
    } catch {
        checkText(of: error)
        return nil
    }
}
