// StepRun: the step on files: reads the originals, writes the copies that changed.

import Foundation

public struct StepRun {
    let description: StepDescription
    /// The folder of the copies: one folder for each module in it.
    let output: String

    public init(_ description: StepDescription, output: String) {
        self.description = description
        self.output = output
    }

    /// Runs the step on each target. Blocks.
    ///
    /// - Throws: an error of Foundation's if a copy cannot be written.
    public func run() throws -> StepReport {
        var report = StepReport()
        var results: [SourceStep.Result] = []
        let read = description.targets.map { Self.read($0) }
        for (place, target) in description.targets.enumerated() {
            let others = read.indices.filter { $0 != place }.flatMap { read[$0].scans }
            let (result, found) = try run(target, read[place], others)
            results.append(result)
            report.targets.append(found)
        }
        if description.listsNames == true {
            var names = UndeclaredNames(results, description)
            for index in results.indices { report.targets[index].undeclared = names.uses(in: results[index]) }
        }
        return report
    }

    /// The files of a target.
    private struct Files {
        var sources: [(path: String, text: String)] = []
        var scans: [FileScan] = []
        var unreadable: [StepReport.Note] = []
    }

    private static func read(_ target: StepDescription.Target) -> Files {
        var files = Files()
        for path in target.files.sorted() {
            if let data = FileManager.default.contents(atPath: path), let text = String(validating: data, as: UTF8.self)
            {
                files.sources.append((path, text))
                files.scans.append(FileScan(ParsedFile(path: path, text: text)))
            } else {
                files.unreadable.append(
                    StepReport.Note(
                        code: .unreadable, file: path, line: 1, column: 1,
                        message: "the file does not exist, or is not UTF-8"))
            }
        }
        return files
    }

    private func run(
        _ target: StepDescription.Target, _ files: Files, _ others: [FileScan]
    ) throws -> (SourceStep.Result, StepReport.Target) {
        let sources = files.sources
        let result = SourceStep.rewrite(target, files.scans, others: others)
        var report = result.report
        report.notes = files.unreadable + report.notes
        let root = description.root.map { $0 + "/" } ?? Self.commonFolder(sources.map(\.path))
        for (source, file) in zip(sources, result.files) {
            guard let text = file.text ?? (description.copiesAll == true ? source.text : nil) else {
                report.files.append(StepReport.File(original: file.path, copy: nil, changed: false))
                continue
            }
            var copy = "\(output)/\(target.module)/\(file.path.dropFirst(root.count))"
            // A copy that is compiled under its own path needs another name: the compiler warns of two files with one
            // #fileID.
            if description.copiesAll == true, !copy.hasSuffix("main.swift") { copy = copy.dropLast(6) + ".linux.swift" }
            let changed = try Self.write(text, to: copy)
            report.files.append(StepReport.File(original: file.path, copy: copy, changed: changed))
        }
        return (result, report)
    }

    /// Writes a file if it does not hold this text; tells whether it wrote.
    private static func write(_ text: String, to path: String) throws -> Bool {
        let data = Data(text.utf8)
        guard FileManager.default.contents(atPath: path) != data else { return false }
        let file = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file, options: .atomic)
        return true
    }

    /// With its slash at the end.
    static func commonFolder(_ paths: [String]) -> String {
        guard var common = paths.first else { return "" }
        for path in paths { common = common.commonPrefix(with: path) }
        return String(common[...(common.lastIndex(of: "/") ?? common.startIndex)])
    }
}
