// MatrixRun: the run of `test --matrix`: every cell, its judgement, and its output.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import Scenarios

struct MatrixRun {
    let command: TestCommand

    private static let usualLimit = Duration.seconds(3)

    /// Runs the matrix. Returns the exit status.
    func run(_ parts: [PayloadPart]) async throws -> Int32 {
        let subject = try await TestSubject(
            .init(name: command.file, chosen: command.subject), in: FileManager.default.currentDirectoryPath,
            applications: try command.namedFolders, choosing: "--extension", command.bundling, command.global)
        let folder = try TemporaryDirectory(prefix: "exthost-matrix")
        defer { try? folder.remove() }
        let (tried, other) = try await contents(parts, subject, in: folder.path)

        let all = ContentShape.allCases.flatMap { shape in ReusePolicy.allCases.map { (shape, $0) } }
        let chosen = all.filter(isChosen)
        guard !chosen.isEmpty else {
            throw CommandError.usage(
                "no cell's name contains “\(command.filter ?? "")”",
                remedy: "Cells have names SHAPE, POLICY, such as “data, warm”")
        }
        let reporter = try ResultReporter(
            name: command.file, count: chosen.count, form: command.form, junit: command.junit,
            isQuiet: command.global.quiet)
        let trial = CellTrial(
            subject: subject, tried: tried, other: other, limit: command.limit ?? Self.usualLimit, force: command.force)
        let run = try await TestRun.run(
            // The first answers of all shapes show which answer is right.
            all.filter { isChosen($0, $1) || $1 != .concurrent }.map { shape, policy in
                { await Self.attempt(trial, shape, policy) }
            },
            jobs: command.jobs ?? TestCommand.usualJobs)
        if run.isInterrupted { return ExitStatus.interrupted }
        let judgement = MatrixJudgement(try run.results.map { try $0.get() })
        return try report(judgement, tried, reporter)
    }

    private func isChosen(_ shape: ContentShape, _ policy: ReusePolicy) -> Bool {
        command.filter.map("\(shape.rawValue), \(policy.rawValue)".contains) ?? true
    }

    private static func attempt(
        _ trial: CellTrial, _ shape: ContentShape, _ policy: ReusePolicy
    ) async -> Result<MatrixCell, any Error> {
        do { return .success(try await trial.run(shape, policy)) } catch { return .failure(error) }
    }

    // MARK: Contents

    /// Returns the content under trial, and another of the same kind, which reveals state that an extension keeps.
    private func contents(
        _ parts: [PayloadPart], _ subject: TestSubject, in folder: String
    ) async throws -> (tried: TrialContent, other: TrialContent) {
        guard parts.count <= 1 else {
            throw CommandError.usage(
                "a matrix tests one content", remedy: "Name one of --url, --text, --file, --data or --plist, or none")
        }
        switch parts.first {
        case nil: return try await usualContents(subject, in: folder)
        case .url(let text)?:
            guard let url = URL(string: text), url.scheme != nil, !url.isFileURL else {
                throw CommandError.usage(
                    "“\(text)” is not a link",
                    remedy: "Write it with its scheme, as https://example.org; use --file for a file")
            }
            return (try .link(url, in: folder), try .link(url.appendingPathComponent("another"), in: folder))
        case .text(let text)?:
            return (try .text(text, in: folder), try .text("something else than \(text)", in: folder))
        case .file(let path)?: return try files(path, type: nil, in: folder)
        case .data(let text)?:
            let words = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard words.count == 2 else {
                throw CommandError.usage(
                    "--data “\(text)” is not TYPE=PATH", remedy: "Write, for example, --data public.png=picture.png")
            }
            return try files(words[1], type: words[0], in: folder)
        case .plist(let path)?: return (try .propertyList(path, in: folder), try .propertyList(path, in: folder))
        case .title, .nextItem, .items, .page, .pageTitle, .pageResults:
            throw CommandError.usage(
                "a matrix tests one content without a title",
                remedy: "Name one of --url, --text, --file, --data or --plist, or none")
        }
    }

    /// Returns a file twice: no other file is known to be as suitable.
    private func files(_ path: String, type: String?, in folder: String) throws -> (TrialContent, TrialContent) {
        (try .file(path, type: type, in: folder), try .file(path, type: type, in: folder))
    }

    /// Returns two links, or two texts if the extension's rule refuses links.
    private func usualContents(_ subject: TestSubject, in folder: String) async throws -> (TrialContent, TrialContent) {
        let links = [URL(string: "https://example.org/one"), URL(string: "https://example.org/another")].compactMap {
            $0
        }
        let link = (try TrialContent.link(links[0], in: folder), try TrialContent.link(links[1], in: folder))
        let text = (
            try TrialContent.text("hello brave world", in: folder), try TrialContent.text("something else", in: folder)
        )
        let stage = try await TrialStage.open(subject, clock: .virtual)
        let takesLink: Result<Bool, any Error>
        do {
            let isShown = { (content: TrialContent) in
                try await stage.daemon.control.explain(
                    stage.identifier, OfferedTypes([content.item(.url, LoadGate(isOpen: true))])
                ).offer.shown
            }
            let takes = try await isShown(link.0)
            takesLink = .success(takes ? true : !(try await isShown(text.0)))
        } catch {
            takesLink = .failure(error)
        }
        await stage.close()
        return try takesLink.get() ? link : text
    }

    // MARK: Results

    private func report(
        _ judgement: MatrixJudgement, _ content: TrialContent, _ reporter: ResultReporter
    ) throws -> Int32 {
        let cells = judgement.cells.filter { isChosen($0.shape, $0.policy) }
        let results = cells.map { judgement.result($0, group: command.file) }
        let failed = results.count { $0.failure != nil }
        switch command.form {
        case .tap:
            try reporter.begin()
            for result in results { try reporter.show(result) }
            try reporter.end(results)
        case .json:
            try reporter.writeFile(results)
            try StandardOutput.write(json(judgement, content).document)
        case .people:
            try reporter.writeFile(results)
            try StandardOutput.write(text(judgement, content))
            for result in results where result.failure != nil { try reporter.show(result, withTimeline: false) }
            try StandardOutput.line(
                failed == 0
                    ? Colour.green("every shape that the rule accepts is handled") : Colour.red("\(failed) not handled")
            )
        }
        return failed == 0 ? 0 : ExitStatus.notExpected
    }

    private func text(_ judgement: MatrixJudgement, _ content: TrialContent) -> String {
        var table = Table("SHAPE", "FRESH", "WARM", "CONCURRENT")
        for shape in ContentShape.allCases {
            let cells = ReusePolicy.allCases.map { policy -> String in
                guard isChosen(shape, policy),
                    let cell = judgement.cells.first(where: { $0.shape == shape && $0.policy == policy })
                else { return "" }
                switch judgement.verdict(cell) {
                case .handled: return "handled"
                case .notHandled: return "NOT HANDLED"
                case .notAccepted: return "not accepted"
                case .impossible(let why): return "– \(why)"
                }
            }
            table.add(shape.rawValue, cells[0], cells[1], cells[2])
        }
        return "\(printable(command.file)): \(printable(content.summary)) as \(content.type)\n"
            + table.text(emptyNote: "")
    }

    private func json(_ judgement: MatrixJudgement, _ content: TrialContent) -> JSON {
        let cells = judgement.cells.filter { isChosen($0.shape, $0.policy) }.map { cell -> JSON in
            var members: [(name: String, value: JSON)] = [
                ("shape", .string(cell.shape.rawValue)), ("policy", .string(cell.policy.rawValue)),
                ("seconds", .real(cell.seconds)),
            ]
            switch judgement.verdict(cell) {
            case .handled: members.append(("verdict", "handled"))
            case .notAccepted(let why): members += [("verdict", "notAccepted"), ("why", .string(why))]
            case .impossible(let why): members += [("verdict", "impossible"), ("why", .string(why))]
            case .notHandled(let failure):
                members.append(("verdict", "notHandled"))
                members += failure.parts.map { (name: $0.name, value: JSON.string($0.text)) }
                members.append(("timeline", .array(failure.timeline.map(JSON.string))))
                members.append(("output", .array(failure.output.map(JSON.string))))
            }
            return .object(members)
        }
        return [
            "extension": .string(command.file), "type": .string(content.type), "cells": .array(cells),
        ]
    }
}
