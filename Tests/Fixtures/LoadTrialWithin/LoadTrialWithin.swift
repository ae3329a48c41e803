// LoadTrialWithin: LoadTrial with Swift's libraries within (`-static-stdlib`).

import LoadTrial

@main struct Main {
    static func main() { tryToLoad(Array(CommandLine.arguments.dropFirst())) }
}
