// Journal: records with fields for journald, if this process's standard error goes there.

internal import CSystemd
internal import Glibc

/// The journal's own socket (sd_journal_sendv(3)). A journal that has stopped blocks the caller, so the loop must not
/// use it.
public enum Journal {
    /// Whether systemd has connected standard error to the journal: then records with fields can go beside it
    /// (`$JOURNAL_STREAM`, systemd.exec(5)).
    public static let isThere: Bool = {
        guard let text = getenv("JOURNAL_STREAM") else { return false }
        let numbers = String(cString: text).split(separator: ":").compactMap { UInt64($0) }
        var status = stat()
        guard numbers.count == 2, fstat(STDERR_FILENO, &status) == 0 else { return false }
        return numbers[0] == status.st_dev && numbers[1] == status.st_ino
    }()

    /// Sends one record.
    ///
    /// - Parameter fields: names are capital letters, digits and underscores; one name may come several times.
    /// - Returns: whether the record was sent; false without journald.
    public static func send(_ fields: [(name: String, value: String)]) -> Bool {
        let texts = fields.map { Array("\($0.name)=\($0.value)".utf8) }
        let all = texts.flatMap { $0 }
        return all.withUnsafeBytes { bytes in
            var start = 0
            var entries = texts.map { text in
                defer { start += text.count }
                return iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress?.advanced(by: start)),
                    iov_len: text.count)
            }
            return sd_journal_sendv(&entries, Int32(entries.count)) == 0
        }
    }
}
