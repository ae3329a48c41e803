// ProgramTable: the numbers of programs.

import EventLoop
import ExtensionHostModel
import ExtensionRegistry
import LinuxSystem

/// The table of programs: a program is one copy of an extension or app with the rights of one user, and that user's
/// consents.
///
/// The model compares programs by number.
@HostActor
final class ProgramTable {
    private struct Key: Hashable {
        let bundle: ExtensionBundle
        let identity: UserIdentity?
        let consents: Set<String>?
    }

    private var programs: [Key: Program] = [:]
    private var keys: [Int: Key] = [:]
    private var last = 0
    /// The size at which the table is pruned.
    private var bound = 1024
    var isFull: Bool { programs.count >= bound }

    nonisolated init() {}

    /// Returns the program of a bundle and a user, and adds it to the table if it is new.
    ///
    /// - Parameters:
    ///   - consents: the user's consents to the extension; nil if there are none.
    ///   - prewarmed: the number of processes that the bundle's point launches ahead.
    func program(
        of bundle: ExtensionBundle, as identity: UserIdentity?, _ consents: Set<String>?, prewarmed: Int
    ) -> Program {
        let key = Key(bundle: bundle, identity: identity, consents: consents)
        if let known = programs[key] { return known }
        last += 1
        let name = Program.Name(bundle.identifier, of: identity?.uid, isService: bundle.isService)
        // The process of an app or a service serves no requests, so nobody asks for its number again.
        guard bundle.isExtension else { return Program(number: last, name: name) }
        let program = Program(number: last, name: name, prewarmed: prewarmed)
        programs[key] = program
        keys[last] = key
        return program
    }

    /// The bundle and the user of a program; nil once the program has been removed.
    subscript(program: Program) -> (bundle: ExtensionBundle, identity: UserIdentity?)? {
        keys[program.number].map { ($0.bundle, $0.identity) }
    }

    /// Returns the consents with which a program's processes were launched.
    func consents(of program: Program) -> Set<String> { keys[program.number]?.consents ?? [] }

    /// Removes the programs that are no longer used.
    func prune(unless isUsed: (Program, ExtensionBundle, UserIdentity?) -> Bool) {
        for (key, program) in programs where !isUsed(program, key.bundle, key.identity) {
            programs[key] = nil
            keys[program.number] = nil
        }
        bound = max(1024, 2 * programs.count)
    }
}
