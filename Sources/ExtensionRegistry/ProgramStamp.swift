// ProgramStamp: by what the program that a process runs is known to be the one that is there now.

/// Of an extension's program on disk, at the moment that it is asked for. Equal for the same file with the same contents, as far as anybody can
/// tell who did not set a clock back.
public struct ProgramStamp: Sendable, Equatable {
    private let file: FileStamp

    public static func == (left: Self, right: Self) -> Bool { left.file.isSame(as: right.file) }

    init(of path: String) { file = FileStamp(of: path) }
}

extension ExtensionBundle {
    /// One call of the kernel. Nil of a bundle without a program.
    public var programStamp: ProgramStamp? { executable.map(ProgramStamp.init(of:)) }
}
