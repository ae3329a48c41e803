// ImageHelperProcess: one run of exthost-images, from its start to its checked answer.

internal import ExtensionProtocol
internal import Glibc
internal import ImageAnswers
internal import ImageCodecs
internal import LinuxDescriptors
internal import LinuxSystem

extension ImageInspector {
    /// Runs the program on a thread of its own, because the kernel ends the process with the thread that started it.
    func ask(
        _ arguments: [String], _ image: SharedDescriptor, _ other: SharedDescriptor? = nil
    ) async throws -> (answer: ImageAnswer, memory: ImageHelperProcess.Memory) {
        let process = ImageHelperProcess(
            program: program, arguments: arguments, image: image, other: other, limit: limit,
            wake: SharedDescriptor(owning: try WakeDescriptor().release()))
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do {
                    try startThread(named: "exthost-images") { continuation.resume(with: Result { try process.run() }) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            var one: UInt64 = 1
            _ = write(process.wake.raw, &one, 8)
        }
    }

    func header(in answer: ImageAnswer) throws -> ImageHeader {
        guard let header = answer.header else { throw ImageHelperProcess.violation }
        return header
    }
}

/// One run of the program.
struct ImageHelperProcess: Sendable {
    let program: String
    let arguments: [String]
    let image: SharedDescriptor
    let other: SharedDescriptor?
    let limit: Duration
    /// An eventfd that ends the process.
    let wake: SharedDescriptor

    /// The sealed memory with the answer and the pixels behind it.
    struct Memory: Sendable {
        fileprivate let descriptor: SharedDescriptor
        fileprivate let size: Int

        /// Maps the pixels.
        func pixels() throws -> PixelMemory {
            let mapped = try mapMemory(descriptor.raw, count: size, protection: PROT_READ, flags: MAP_PRIVATE)
            let all = UnsafeRawBufferPointer(mapped)
            return PixelMemory(taking: UnsafeRawBufferPointer(rebasing: all[ImageAnswer.length...])) { pixels in
                let start = UnsafeMutableRawPointer(mutating: pixels.baseAddress! - ImageAnswer.length)
                unmapMemory(UnsafeMutableRawBufferPointer(start: start, count: pixels.count + ImageAnswer.length))
            }
        }
    }

    static let violation = ExtensionHostError(
        .interrupted, "exthost-images gave an answer that it does not give: the image may have taken it over")

    /// Starts the program, waits for its end and reads its answer. Blocks its thread.
    func run() throws -> (answer: ImageAnswer, memory: Memory) {
        let memory = try SealedMemory.create("image")
        var attributes = SpawnAttributes(executable: program, arguments: arguments)
        attributes.standardInput = .descriptor(image.raw)
        attributes.descriptors = [.init(parent: memory.raw, child: 3)]
        if let other { attributes.descriptors.append(.init(parent: other.raw, child: 4)) }
        let most = UInt64(ImageAnswer.length + ImageCodec.mostPixels * 4)
        attributes.limits = [
            (RLIMIT_NOFILE.rawValue, 32), (RLIMIT_AS.rawValue, 1 << 30), (RLIMIT_CPU.rawValue, 10),
            (RLIMIT_FSIZE.rawValue, most), (RLIMIT_CORE.rawValue, 0),
        ].map { .init(resource: Int32($0.0), soft: $0.1, hard: $0.1) }
        let process: SpawnedProcess
        do { process = try spawn(attributes) } catch {
            throw ExtensionHostError(
                .helperMissing, "\(program) cannot be executed: \(error)", remedy: "Install it again, for this machine")
        }
        let reason = wait(for: process)
        _ = try? process.signalTree(SIGKILL)
        // After the kill the pidfd becomes readable, and the process can be reaped.
        var ended = pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0)
        while poll(&ended, 1, -1) < 0, errno == EINTR {}
        let status = try process.reap()?.status ?? .unknown
        if let reason { throw reason }
        guard status == .exited(0) else { throw unexpected(status) }
        // The process is gone, and nobody else has the memory: it cannot change from here on.
        try SealedMemory.seal(memory)
        let size = try SealedMemory.check(memory.raw, maximumSize: Int(most))
        var page = [UInt8](repeating: 0, count: ImageAnswer.length)
        guard pread(memory.raw, &page, page.count, 0) == page.count, let answer = ImageAnswer(page) else {
            throw Self.violation
        }
        if case .failed(let error) = answer.result { throw Self.error(for: error) }
        return (answer, Memory(descriptor: SharedDescriptor(memory), size: size))
    }

    /// Waits for the end of the process. Returns the reason to kill it.
    private func wait(for process: borrowing SpawnedProcess) -> (any Error)? {
        let deadline = ContinuousClock.now + limit
        while true {
            let rest = max(ContinuousClock.now.duration(to: deadline), .zero)
            let milliseconds = Int32(
                clamping: rest.components.seconds * 1000 + rest.components.attoseconds / 1_000_000_000_000_000)
            var entries = [
                pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.raw, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&entries, 2, milliseconds)
            if count < 0, errno == EINTR { continue }
            if entries[0].revents != 0 { return nil }
            if entries[1].revents != 0 { return CancellationError() }
            if rest == .zero {
                return ExtensionHostError(
                    .timedOut, "exthost-images did not decode the image within \(limit)",
                    remedy: "Give ImageInspector a longer limit")
            }
        }
    }

    private func unexpected(_ status: ExitStatus) -> ExtensionHostError {
        switch status {
        case .exited(66):
            ExtensionHostError(
                .invalidArgument, "the image is not a regular file", remedy: "Pass an open file or memfd")
        case .signalled(SIGSYS, _):
            ExtensionHostError(
                .interrupted,
                "exthost-images made a system call that it must not make: the image may have taken it over")
        case .signalled(let number, _):
            ExtensionHostError(.interrupted, "exthost-images was ended by signal \(number) while it decoded the image")
        default: ExtensionHostError(.interrupted, "exthost-images ended without an answer: \(status)")
        }
    }

    /// A missing library is a fault of the machine, the others are faults of the image.
    private static func error(for error: ImageCodecError) -> any Error {
        guard case .libraryMissing(let library, _) = error else { return error }
        return ExtensionHostError(.helperMissing, "\(error)", remedy: "apt install \(library.package)")
    }
}
