// ViewOptions: the options for acts on an extension's view, in the order of the command line.

import ArgumentParser
import Scenarios

/// The options of acts. The parser checks and explains them; `acts(in:)` reads their order from the command line.
struct ViewOptions: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Tap the element of this name or title in the extension's view, once it appears.", valueName: "name"))
    var tap: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Use the extension's view: post, cancel, 'text WORDS' or 'tap NAME'.", valueName: "act"))
    var act: [String] = []

    func validate() throws {
        for line in act where SheetAct(line: line) == nil {
            throw ValidationError("“\(line)” is not an act. Write one of: \(SheetAct.help).")
        }
    }

    /// Returns the acts in `arguments`, which the parser has accepted.
    func acts(in arguments: some Sequence<String>) -> [SheetAct] {
        var acts: [SheetAct] = []
        var arguments = arguments.makeIterator()
        while let argument = arguments.next(), argument != "--" {
            let words = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            func value() -> String? { words.count > 1 ? words[1] : arguments.next() }
            switch words[0] {
            case "--tap": if let name = value() { acts.append(.tap(name)) }
            case "--act": if let act = value().flatMap(SheetAct.init(line:)) { acts.append(act) }
            // The value of another option may look like one of these.
            case let option where PayloadPart.valued(option) != nil && words.count == 1: _ = arguments.next()
            default: break
            }
        }
        return acts
    }
}
