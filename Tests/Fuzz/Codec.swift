// codec: any bytes as a property list: binary, XML, or refused by name; what was read is written and read again the
// same.

import PropertyListCoding

let inputPrefix = 0
let inputWords = ["", "key", "a", "longer than what fits a string's own words", "größer", "😀"]
let inputTakesXML = true

/// Small enough that sharing, which is written out in full, stays quick.
private let limits = PropertyListLimits(
    bytes: 64 << 10, objects: 4096, depth: 64, expandedNodes: 8192, expandedBytes: 128 << 10)

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = InputReader(start, count)
    let bytes = input.all()
    // As nobody calls them: a form's own reader on what is of another form.
    let binary = attempt { () throws(PropertyListError) in try PropertyList(binary: bytes, limits: limits) }
    let xml = attempt { () throws(PropertyListError) in try PropertyList(xml: bytes, limits: limits) }
    let file = attempt { () throws(PropertyListError) in try PropertyList(file: bytes, limits: limits) }
    must(binary == nil || xml == nil, "bytes that are both forms")
    guard let value = file else {
        must(binary == nil && xml == nil, "a form was read and its file refused")
        return 0
    }
    guard let direct = binary ?? xml else { finding("a file of neither form was read") }
    must(isSame(value, direct), "detection changes the value")

    let extent = Extent(of: value)
    must(extent.nodes <= limits.expandedNodes, "\(extent.nodes) values over the budget")
    must(extent.octets <= limits.expandedBytes, "\(extent.octets) bytes over the budget")
    must(extent.depth <= limits.depth, "\(extent.depth) levels over the budget")

    guard let once = try? value.encodeBinary() else { finding("what was read cannot be written") }
    guard let back = try? PropertyList(binary: once, limits: .payload) else {
        finding("what was written cannot be read")
    }
    must(isSame(back, value), "a value changed by writing and reading")
    must((try? back.encodeBinary()) == once, "other bytes for the same value")
    guard let text = XMLForm.written(value) else { return 0 }
    do {
        must(isSame(try PropertyList(file: text, limits: .payload), value), "the XML form is read as another value")
    } catch {
        finding("the XML form is refused: \(error)")
    }
    return 0
}

private func attempt(_ read: () throws(PropertyListError) -> PropertyList) -> PropertyList? {
    do {
        return try read()
    } catch {
        checkText(of: error)
        return nil
    }
}
