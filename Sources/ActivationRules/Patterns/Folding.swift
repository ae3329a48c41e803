// Folding: the comparison of texts without case or diacritics.

// This is the library's own normalization. It has no public name yet, and the alternative is all of Foundation.
@_spi(_Unicode) internal import Swift

/// The options `[c]` and `[d]`.
struct FoldingOptions: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let caseInsensitive = Self(rawValue: 1)
    static let diacriticInsensitive = Self(rawValue: 2)
}

/// Returns the scalars by which a text is compared.
func folded(_ text: String, _ options: FoldingOptions) -> [UInt32] {
    var scalars: [UInt32] = []
    scalars.reserveCapacity(text.utf8.count)
    if options.contains(.diacriticInsensitive) {
        for scalar in text._nfd where scalar.isASCII || !isMark(scalar) { append(scalar, options, to: &scalars) }
    } else {
        for scalar in text.unicodeScalars { append(scalar, options, to: &scalars) }
    }
    return scalars
}

func folded(_ bytes: UnsafeBufferPointer<UInt8>, _ options: FoldingOptions) -> [UInt32] {
    folded(String(decoding: bytes, as: UTF8.self), options)
}

private func isMark(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .nonspacingMark }

/// Appends a scalar after mapping it to upper and then to lower case. Thus the three sigmas are one, and ß is ss.
private func append(_ scalar: Unicode.Scalar, _ options: FoldingOptions, to scalars: inout [UInt32]) {
    guard options.contains(.caseInsensitive) else { return scalars.append(scalar.value) }
    if scalar.isASCII {
        let isUpper = ("A"..."Z").contains(scalar)
        return scalars.append(isUpper ? scalar.value + 32 : scalar.value)
    }
    for upper in scalar.properties.uppercaseMapping.unicodeScalars {
        for lower in upper.properties.lowercaseMapping.unicodeScalars { scalars.append(lower.value) }
    }
}
