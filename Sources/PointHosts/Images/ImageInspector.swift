// ImageInspector: images of strangers, looked at by a host without decoding them itself.

public import ExtensionProtocol
internal import ImageAnswers
public import ImageCodecs
public import LinuxDescriptors

/// Reads images of strangers for a host, each in a process of `exthost-images` that can reach no file, no network and
/// no other process.
///
/// That process has 1 GiB of memory and ten seconds of processor time, and ends with the host. Descriptors stay the
/// caller's; a file is read from its beginning, whatever its offset is. All functions may be called from any task;
/// cancelling the task ends the process.
///
/// Each function throws `ImageCodecError` for an image that is no image, and `ExtensionHostError`:
/// `helperMissing` without the program or a library, `timedOut`, and `interrupted` if the process ended otherwise.
public struct ImageInspector: Sendable {
    /// The path of `exthost-images`.
    public let program: String
    /// The limit of real time for one image.
    public let limit: Duration

    /// Makes an inspector.
    ///
    /// - Parameters:
    ///   - program: the path of `exthost-images`; nil searches `$EXTHOST_IMAGES`, the folders of this program, of
    ///     `$EXTHOSTD` and of `PATH`, and `../libexec/exthost` beside each.
    ///   - limit: the limit of real time for one image.
    /// - Throws: `helperMissing` if the program is not found.
    public init(program: String? = nil, limit: Duration = .seconds(30)) throws(ExtensionHostError) {
        if let program { self.program = program } else { self.program = try ImageHelperProgram.locate() }
        self.limit = limit
    }

    /// Reads format, size and orientation. The pixels are not decoded.
    public func header(of image: SharedDescriptor) async throws -> ImageHeader {
        try header(in: await ask(["header"], image).answer)
    }

    /// Decodes the whole image, and returns its header. A cut file throws the decoder's words.
    @discardableResult
    public func check(_ image: SharedDescriptor) async throws -> ImageHeader {
        try header(in: await ask(["check"], image).answer)
    }

    /// Decodes the image, turned upright.
    ///
    /// - Parameters:
    ///   - image: the file.
    ///   - longestSide: the side to which a larger image is scaled, in pixels; nil for none.
    public func pixels(of image: SharedDescriptor, longestSide: Int? = nil) async throws -> Pixels {
        if let longestSide, longestSide < 1 {
            throw ImageCodecError.invalid("\(longestSide) is not a length of a side")
        }
        let (answer, memory) = try await ask(["pixels", "\(longestSide ?? 0)"], image)
        guard let size = answer.size else { throw ImageHelperProcess.violation }
        return try Pixels(width: size.width, height: size.height, memory: try memory.pixels())
    }

    /// Compares two images once both are upright.
    ///
    /// - Parameters:
    ///   - image: one image.
    ///   - other: the other image.
    ///   - tolerance: the difference in a channel that counts as none, 0 to 255. JPEG changes most pixels by a little.
    /// - Returns: the number of pixels that differ, and of all pixels of the larger image. Images of other sizes differ
    ///   in all.
    public func differingPixels(
        _ image: SharedDescriptor, _ other: SharedDescriptor, tolerance: Int = 0
    ) async throws -> (changed: Int, total: Int) {
        let answer = try await ask(["compare", "\(max(0, tolerance))"], image, other).answer
        return (answer.changed, answer.total)
    }
}
