// FileKeeper: `FileKeeper SOCKET PROVIDER STORE STEP read|write|replace` is a host of files that a step kills.

import ExtensionHost
import Glibc
import LinuxDescriptors
import PointHosts
import PointMessages

@main struct FileKeeper {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let last = ContentStep(rawValue: arguments[4]) else { exit(64) }
        let host = try await HostApplication.connect(name: "keeper", to: DaemonAddress(path: arguments[1]))
        let provider = try FileProviderHost(host, store: arguments[3]) { step in
            if step == last { kill(getpid(), SIGKILL) }
        }
        let files = try await provider.files(of: arguments[2])
        guard let first = try await files.items(in: files.root).first(where: { $0.kind == .file }) else { exit(65) }
        switch arguments[5] {
        case "read": try await files.read(first.identifier) { _ in }
        case "write": try await files.write(first.identifier) { write("mine", to: $0) }
        case "replace":
            let new = try await files.create(NewItem(parent: files.root, name: "new.txt", kind: .file))
            try await files.write(new.identifier) { write("newer", to: $0) }
            _ = try await files.change(new.identifier, ItemChange(name: first.name), replacing: first.identifier)
        default: exit(64)
        }
        exit(1)
    }

    private static func write(_ text: String, to raw: Int32) {
        ftruncate(raw, 0)
        let bytes = Array(text.utf8)
        pwrite(raw, bytes, bytes.count, 0)
    }
}
