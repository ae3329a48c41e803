// HostMark: a program that can connect as a host says so in a note, which `exthostctl lint` finds in extensions.

import CHostMark

enum HostMark {
    /// Refers to the note, so that no linker leaves it out of a program in which this is called.
    static func keep() { _ = exthost_host_mark() }
}
