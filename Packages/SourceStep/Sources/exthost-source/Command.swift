// exthost-source: the source step as a program. docs/source-step.md describes its input and output.

import Foundation
import SourceStep

@main
struct Command {
    static let usage = """
        usage: exthost-source --output FOLDER [--description FILE]
               exthost-source --output FOLDER --module NAME [--root FOLDER] FILE…

        Writes rewritten copies of Swift files for Apple's systems into FOLDER/MODULE, and a report as JSON to standard
        output. Without --description, the command reads the description from standard input, as JSON:
        {"targets": [{"module": "Share", "files": ["/…/Share.swift"], "known": ["UIKit"]}]}
        With --module, the arguments are the files of one target. The command copies all of them, and prints what it cannot
        rewrite on standard error, as warnings of a compiler.

        """

    static func main() {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            let report = try StepRun(try arguments.description(), output: arguments.output).run()
            guard arguments.module == nil else { return warn(report) }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
            FileHandle.standardOutput.write(try encoder.encode(report) + Data("\n".utf8))
        } catch let error as UsageError {
            end(error.message + "\n\n" + usage, 64)
        } catch {
            end("\(error)\n", 1)
        }
    }

    private static func warn(_ report: StepReport) {
        for note in report.targets.flatMap(\.notes) {
            let line = "\(note.file):\(note.line):\(note.column): warning: \(note.message)\n"
            FileHandle.standardError.write(Data(line.utf8))
        }
    }

    private static func end(_ message: String, _ status: Int32) -> Never {
        FileHandle.standardError.write(Data("exthost-source: \(message)".utf8))
        exit(status)
    }
}

struct UsageError: Error { let message: String }

/// The command line, read.
struct Arguments {
    private(set) var output = ""
    private(set) var module: String?
    private var source: String?
    private var root: String?
    private var files: [String] = []

    init(_ words: some Sequence<String>) throws {
        var rest = Array(words)[...]
        func value(_ option: String) throws -> String {
            guard let next = rest.popFirst() else { throw UsageError(message: "\(option) needs a value") }
            return next
        }
        while let word = rest.popFirst() {
            switch word {
            case "--output": output = try value(word)
            case "--module": module = try value(word)
            case "--root": root = try value(word)
            case "--description": source = try value(word)
            case "--help", "-h":
                print(Command.usage, terminator: "")
                exit(0)
            case _ where word.hasPrefix("--"): throw UsageError(message: "there is no option \(word)")
            default: files.append(word)
            }
        }
        if output.isEmpty { throw UsageError(message: "--output is missing") }
        if module == nil, !files.isEmpty { throw UsageError(message: "files are given without --module") }
    }

    func description() throws -> StepDescription {
        if let module {
            var description = StepDescription(targets: [StepDescription.Target(module: module, files: files)])
            description.copiesAll = true
            description.root = root
            return description
        }
        let data =
            try source.map { try Data(contentsOf: URL(fileURLWithPath: $0)) } ?? FileHandle.standardInput.readToEnd()
        return try JSONDecoder().decode(StepDescription.self, from: data ?? Data())
    }
}
