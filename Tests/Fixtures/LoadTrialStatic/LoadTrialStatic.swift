// LoadTrialStatic: LoadTrial with all libraries within (`-static-executable`).

import LoadTrial

@main struct Main {
    static func main() { tryToLoad(Array(CommandLine.arguments.dropFirst())) }
}
