// StructuredMutation: libFuzzer's hook for inputs that hold a property list: changed as a value mostly, else byte by
// byte.

import LibFuzzer
import PropertyListCoding

/// Bytes in front of the property list and the words in it are the target's: `inputPrefix`, `inputWords`.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ maximum: Int, _ seed: UInt32) -> Int {
    var mutator = ValueMutator(seed: seed, words: inputWords)
    let input = UnsafeMutableBufferPointer(start: data, count: maximum)
    guard size >= inputPrefix, mutator.number(below: 4) != 0,
        var value = try? PropertyList(file: Array(input[inputPrefix..<size]), limits: .packet)
    else { return LLVMFuzzerMutate(data, size, maximum) }
    for _ in 0...mutator.number(below: 4) { value = mutator.changed(value) }
    guard let bytes = written(value, &mutator), bytes.count <= maximum - inputPrefix else {
        return LLVMFuzzerMutate(data, size, maximum)
    }
    for (index, byte) in bytes.enumerated() { input[inputPrefix + index] = byte }
    return inputPrefix + bytes.count
}

private func written(_ value: PropertyList, _ mutator: inout ValueMutator) -> [UInt8]? {
    if inputTakesXML, mutator.number(below: 3) == 0 { return XMLForm.written(value) }
    return try? value.encodeBinary()
}
