// PythonProcess: Python's plistlib as the other side: reads what we write, writes what we read.

import Glibc
import PropertyListCoding

struct PythonFailed: Error { let status: Int32 }

enum PythonProcess {
    static let isAvailable: Bool = {
        guard let path = getenv("PATH").map({ String(cString: $0) }) else { return false }
        return path.split(separator: ":").contains { access("\($0)/python3", X_OK) == 0 }
    }()

    private static let script = """
        import plistlib, struct, sys
        source, sink = sys.stdin.buffer, sys.stdout.buffer
        while head := source.read(4):
            value = plistlib.loads(source.read(struct.unpack("<I", head)[0]))
            for format in (plistlib.FMT_BINARY, plistlib.FMT_XML):
                try: bytes = plistlib.dumps(value, fmt=format)
                except ValueError: bytes = b""
                sink.write(struct.pack("<I", len(bytes)) + bytes)
        """

    /// Each input as Python reads it and writes it again, as (binary, XML); XML is empty where it cannot hold the
    /// value.
    ///
    /// Both ways go through unlinked files, so neither side waits for the other and nothing is left behind.
    static func rewrite(_ inputs: [[UInt8]]) throws -> [(binary: [UInt8], xml: [UInt8])] {
        guard let source = tmpfile(), let sink = tmpfile() else { throw PythonFailed(status: errno) }
        defer {
            fclose(source)
            fclose(sink)
        }
        for input in inputs {
            withUnsafeBytes(of: UInt32(input.count).littleEndian) { _ = fwrite($0.baseAddress, 1, 4, source) }
            fwrite(input, 1, input.count, source)
        }
        rewind(source)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, fileno(source), 0)
        posix_spawn_file_actions_adddup2(&actions, fileno(sink), 1)
        let words: [String] = ["python3", "-c", script]
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let failure = posix_spawnp(&child, "python3", &actions, nil, arguments, environ)
        guard failure == 0 else { throw PythonFailed(status: failure) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        guard status == 0 else { throw PythonFailed(status: status) }
        rewind(sink)
        return inputs.map { _ in (frame(sink), frame(sink)) }
    }

    private static func frame(_ file: UnsafeMutablePointer<FILE>) -> [UInt8] {
        var count: UInt32 = 0
        guard fread(&count, 4, 1, file) == 1 else { return [] }
        let length = Int(UInt32(littleEndian: count))
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, filled in
            filled = fread(buffer.baseAddress, 1, length, file)
        }
    }
}
