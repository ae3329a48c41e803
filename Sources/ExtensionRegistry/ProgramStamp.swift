// ProgramStamp: the stamp that tells whether a process runs the program that is on disk now.

/// The stamp of an extension's program on disk, at the time of the call.
///
/// Two stamps are equal for the same file with the same contents, as far as can be told unless somebody set back a
/// clock.
public struct ProgramStamp: Sendable, Equatable {
    private let file: FileStamp

    public static func == (left: Self, right: Self) -> Bool { left.file.isSame(as: right.file) }

    init(of path: String) { file = FileStamp(of: path) }
}

extension ExtensionBundle {
    /// The stamp of its program; nil without a program. Each access is one system call.
    public var programStamp: ProgramStamp? { executable.map(ProgramStamp.init(of:)) }
}
