// Encodings: the numbers of encodings of text, as Core Foundation and Foundation have them.

/// The number of an encoding.
public typealias CFStringEncoding = UInt32

/// The number for a name that is not known.
public let kCFStringEncodingInvalidId: CFStringEncoding = 0xffff_ffff

/// Names that IANA registers, with the numbers that Core Foundation and Foundation have for them.
private let encodings: [(name: String, number: CFStringEncoding, foundation: UInt)] = [
    ("utf-8", 0x0800_0100, 4), ("us-ascii", 0x0600, 1), ("ascii", 0x0600, 1), ("iso-8859-1", 0x0201, 5),
    ("latin1", 0x0201, 5), ("iso-8859-15", 0x020f, 0x8000_020f), ("koi8-r", 0x0a02, 0x8000_0a02),
    ("iso-8859-2", 0x0202, 9), ("windows-1250", 0x0501, 15), ("windows-1251", 0x0502, 11), ("windows-1252", 0x0500, 12),
    ("windows-1253", 0x0503, 13), ("windows-1254", 0x0504, 14),
    ("windows-1255", 0x0505, 0x8000_0505), ("windows-1256", 0x0506, 0x8000_0506),
    ("windows-1257", 0x0507, 0x8000_0507), ("windows-1258", 0x0508, 0x8000_0508), ("macintosh", 0, 30),
    ("utf-16", 0x0100, 10),
    ("utf-16be", 0x1000_0100, 0x9000_0100), ("utf-16le", 0x1400_0100, 0x9400_0100),
    ("utf-32", 0x0c00_0100, 0x8c00_0100),
    ("utf-32be", 0x1800_0100, 0x9800_0100), ("utf-32le", 0x1c00_0100, 0x9c00_0100), ("shift_jis", 0x0a01, 8),
    ("euc-jp", 0x0920, 3), ("iso-2022-jp", 0x0820, 21), ("gb18030", 0x0632, 0x8000_0632), ("gbk", 0x0631, 0x8000_0631),
    ("gb2312", 0x0930, 0x8000_0930), ("big5", 0x0a03, 0x8000_0a03), ("euc-kr", 0x0940, 0x8000_0940),
]

/// Returns Core Foundation's number for a name that IANA registers, in capitals or small letters;
/// `kCFStringEncodingInvalidId` for a name that is not in the table.
public func CFStringConvertIANACharSetNameToEncoding(_ name: CFString!) -> CFStringEncoding {
    encodings.first { $0.name == name?.lowercased() }?.number ?? kCFStringEncodingInvalidId
}

/// Returns Foundation's number for one of Core Foundation's.
public func CFStringConvertEncodingToNSStringEncoding(_ encoding: CFStringEncoding) -> UInt {
    encodings.first { $0.number == encoding }?.foundation ?? 0x8000_0000 | UInt(encoding)
}
