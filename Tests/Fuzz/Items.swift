// items: a property list as the items of a request, as returned items, as a value, an error and a load's answer.

import ExtensionItems
import Foundation
import LinuxSystem
import PropertyListCoding

let inputPrefix = 0
let inputWords = [
    "$kind", "null", "url", "data", "dictionary", "attributedString", "error", "item", "provider", "loadedProvider",
    "ownProvider",
    "string", "base", "descriptor", "value", "runs", "location", "length", "attributes", "domain", "code", "description",
    "underlying", "itemsAndErrors", "userInfo", "number", "types", "name", "representations", "type", "NSLink",
    NSExtensionItemAttachmentsKey, NSExtensionItemAttributedTitleKey, NSExtensionItemAttributedContentTextKey,
    NSLocalizedDescriptionKey, "public.url", "public.plain-text", "https://example.org/a?b#c", "http://[", "%zz", "//x", "../y",
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

/// Two providers, so that the numbers 1 and 2 mean something on the way back.
private let table: ProviderTable = {
    let table = ProviderTable()
    for text in ["one", "two"] { table.register(NSItemProvider(item: text as NSString, typeIdentifier: "public.plain-text")) }
    return table
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = InputReader(start, count)
    guard let plist = try? PropertyList(binary: input.all(), limits: .packet) else { return 0 }
    let value = EncodedValue(plist: plist, descriptors: [memory])
    if let items = attempt({ () throws(ItemCodingError) in try decodeItems(value, loader: NoLoader()) }) { checkRequest(items) }
    if let items = attempt({ () throws(ItemCodingError) in try decodeReturnedItems(value, table: table) }) {
        for item in items { use(item) }
    }
    if let decoded = attempt({ () throws(ItemCodingError) in try decodeValue(value) }) { checkValue(decoded) }
    let error = decodeError(plist, table: table)
    must(!error.domain.isEmpty || !error.localizedDescription.isEmpty, "an error that says nothing")
    must(encodeError(error).dictionary != nil, "an error that cannot be written")
    do {
        _ = try decodeLoadAnswer(plist, descriptors: [memory])
    } catch {
        _ = (error as NSError).localizedDescription
    }
    return 0
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

/// Without what depends on the order in which a dictionary gives its entries, which is another each time: the numbers of
/// providers, and the list of items with their errors, which are told apart by identity.
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
