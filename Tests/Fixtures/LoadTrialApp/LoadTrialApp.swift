// LoadTrialApp: LoadTrial as SwiftPM links it, to Swift's libraries.

import LoadTrial

@main struct Main {
    static func main() { tryToLoad(Array(CommandLine.arguments.dropFirst())) }
}
