// StoreWriter: opens a registry's store and elects, one after the other, saying each that was acknowledged; killed on
// the way.

import CCrashVFS
import ExtensionProtocol
import ExtensionRegistry
import Glibc

/// `StoreWriter FOLDER FIRST COUNT [STEP LOSES]`: elections number FIRST to FIRST+COUNT−1, of ten identifiers in turn.
/// At the end the number of steps. `StoreWriter orders …`: see `OrderWriter`.
@main
struct StoreWriter {
    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count > 1, arguments[1] == "orders" { return try OrderWriter.run(Array(arguments.dropFirst(2))) }
        let numbers = arguments.dropFirst(2).compactMap { Int($0) }
        guard numbers.count >= 2 else { exit(64) }
        if numbers.count >= 4, crash_vfs_install(numbers[2], numbers[3] != 0 ? 1 : 0) != 0 { exit(70) }
        let store = try RegistryStore(folder: arguments[1])
        say("open")
        for number in numbers[0]..<(numbers[0] + numbers[1]) {
            try store.setElection(value(number), of: "id.\(number % 10)", at: number)
            say("\(number)")
        }
        say("steps \(crash_vfs_steps())")
    }

    /// Sets and takes back in turn.
    private static func value(_ number: Int) -> Election {
        switch number / 10 % 3 {
        case 0: .ignore
        case 1: .use
        default: .default
        }
    }

    /// Unbuffered: what was said has been said.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }
}
