// LibraryWriter: `LibraryWriter LIBRARY ASSET RENDERING STEP` stores an edit, and is killed after a step.

import Glibc
import LinuxDescriptors
import PointHosts
import PointMessages

@main struct LibraryWriter {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let last = AssetLibrary.Step(rawValue: arguments[4]) else { exit(64) }
        var library = try AssetLibrary(folder: arguments[1])
        library.onStep = { step in if step == last { kill(getpid(), SIGKILL) } }
        let edit = try library.edit(arguments[2])
        let rendering = SharedDescriptor(try openForReading(arguments[3]))
        let copy = try edit.copy(rendering.raw)
        library.onStep(.checked)
        try edit.store(copy, PhotoAdjustment(formatIdentifier: "new", formatVersion: "2", data: [2]))
        exit(1)
    }
}
