// CallLines: the calls of `run --calls`, as lines of JSON on standard input and output.

import ExtensionHost
import ExtensionHostTesting
import ExtensionItems
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import LinuxSystem
import Locks
import PropertyListCoding
import Transcripts

/// The host's side of a request whose calls another program makes, a line each. docs/extension-points.md has the lines.
///
/// At the end of input and of the open calls, the request is cancelled.
final class CallLines: Sendable {
    private struct State {
        var last = 0
        /// The functions that cancel the host's open calls, by their numbers.
        var open: [Int: @Sendable () -> Void] = [:]
        /// The extension's open calls, by the numbers of their lines.
        var asked: [Int: CheckedContinuation<EncodedValue, any Error>] = [:]
        var hasEnded = false
        var fault: CommandError?
        /// The waiter for the time when no call of the host is open.
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// The folder for files of answers; nil: they are dropped.
    private let folder: String?
    private let console: RunConsole
    private let state = Mutex(State())

    init(savingTo folder: String?, console: RunConsole) {
        self.folder = folder
        self.console = console
    }

    /// The handlers of the extension's calls.
    var handlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.others = { [self] call in try await ask(call) }
        return handlers
    }

    /// Starts reading. It ends with the request.
    func start(_ request: ExtensionRequest) {
        let lines = TerminalSheet.standardInput()
        Task { [self] in
            // An outcome instead of the delivery is the session's to report.
            guard (try? await request.delivered()) != nil else { return }
            var number = 0
            for await line in lines where !line.allSatisfy(\.isWhitespace) {
                number += 1
                do {
                    try obey(line, request)
                } catch {
                    let fault = CommandError.usage(
                        "line \(number) of the calls: \(error)",
                        remedy: "docs/extension-points.md describes the lines of --calls")
                    state.withLock { $0.fault = fault }
                    return try await request.cancel()
                }
            }
            let isIdle = state.withLock { state in
                state.hasEnded = true
                return state.open.isEmpty
            }
            if isIdle { try? await request.cancel() }
        }
    }

    /// Waits for the answers of the open calls, after the request has ended: the daemon answers them all.
    ///
    /// - Throws: the fault of a line of input, which has ended the request.
    func finish() async throws {
        await withCheckedContinuation { done in
            let isIdle = state.withLock { state in
                if !state.open.isEmpty { state.waiter = done }
                return state.open.isEmpty
            }
            if isIdle { done.resume() }
        }
        if let fault = state.withLock({ $0.fault }) { throw fault }
    }

    // MARK: Lines of input

    private func obey(_ line: String, _ request: ExtensionRequest) throws {
        guard let members = try PropertyList(json: line).dictionary else { throw Malformed("it is no object") }
        if let name = members["call"]?.string { return try call(name, members, request) }
        if let number = members["cancel"]?.integer { return state.withLock { $0.open[Int(number)] }?() ?? () }
        guard let number = members["answer"]?.integer else {
            throw Malformed("it has none of the members call, cancel and answer")
        }
        let answer: Result<EncodedValue, any Error> =
            if let error = members["error"]?.dictionary {
                .failure(Self.error(error))
            } else {
                .success(try Self.encoded(members["value"] ?? [:]))
            }
        // An answer may cross with the cancellation of its call.
        state.withLock { $0.asked.removeValue(forKey: Int(number)) }?.resume(with: answer)
    }

    private func call(_ name: String, _ members: PropertyListDictionary, _ request: ExtensionRequest) throws {
        let number = state.withLock { state in
            state.last = members["number"]?.integer.map { Int($0) } ?? state.last + 1
            return state.last
        }
        var options = CallPort.Options()
        options.limit = try Self.duration("limit", in: members)
        options.grace = try Self.duration("grace", in: members)
        options.onPart = { [self] part, taken in
            print(["part": .integer(Int64(number)), "value": part.plist], part)
            taken()
        }
        let arguments = try Self.encoded(members["arguments"] ?? [:])
        guard state.withLock({ $0.open.updateValue({}, forKey: number) }) == nil else {
            throw Malformed("\(number) is the number of an open call")
        }
        let cancel = request.send(name, arguments, options) { [self] answer in
            switch answer {
            case .success(let value): print(["answer": .integer(Int64(number)), "value": value.plist], value)
            case .failure(let error): print(["answer": .integer(Int64(number)), "error": Self.described(error)])
            }
            let (isLast, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
                state.open[number] = nil
                guard state.open.isEmpty else { return (false, nil) }
                defer { state.waiter = nil }
                return (state.hasEnded, state.waiter)
            }
            if isLast { Task { try? await request.cancel() } }
            waiter?.resume()
        }
        state.withLock { if $0.open[number] != nil { $0.open[number] = cancel } }
    }

    // MARK: Calls of the extension

    private func ask(_ call: IncomingCall) async throws -> EncodedValue {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0.asked[number] = continuation }
            print(
                [
                    "call": .string(call.name), "number": .integer(Int64(number)), "arguments": call.arguments.plist,
                ], call.arguments)
            call.whenCancelled { [self] in
                guard let asked = state.withLock({ $0.asked.removeValue(forKey: number) }) else { return }
                print(["cancelled": .integer(Int64(number))])
                asked.resume(throwing: CancellationError())
            }
        }
    }

    // MARK: Lines of output

    /// - Parameter value: the value of the line, whose files are saved.
    private func print(_ members: PropertyListDictionary, _ value: EncodedValue? = nil) {
        var members = members
        let files = save(value?.descriptors ?? [])
        if !files.isEmpty { members["files"] = .array(files.map(PropertyList.string)) }
        let line = PropertyList.dictionary(members).jsonLine
        // The reader has gone at worst, which is no reason to disturb the request.
        state.withLock { _ in try? StandardOutput.line(line) }
    }

    private func save(_ files: [SharedDescriptor]) -> [String] {
        guard let folder else { return [] }
        return files.compactMap { file in
            let path = "\(folder)/file-\(UUID().uuidString)"
            let source = FileHandle(fileDescriptor: file.raw, closeOnDealloc: false)
            guard let data = try? source.readToEnd() ?? Data(), (try? data.write(to: URL(fileURLWithPath: path))) != nil
            else {
                console.line("exthostctl: a file of a call cannot be saved at \(printable(path))")
                return nil
            }
            return path
        }
    }

    // MARK: Values

    private struct Malformed: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    private static func duration(_ name: String, in members: PropertyListDictionary) throws -> Duration? {
        guard let value = members[name] else { return nil }
        let seconds = value.real ?? value.integer.map { Double($0) } ?? 0
        guard seconds > 0, seconds <= 1e9 else { throw Malformed("\(name) is no number of seconds above 0") }
        return .seconds(seconds)
    }

    /// Returns a value with its files: `{"$file": PATH}` is a file that is opened for reading.
    private static func encoded(_ value: PropertyList) throws -> EncodedValue {
        var files: [SharedDescriptor] = []
        func opened(_ value: PropertyList) throws -> PropertyList {
            switch value {
            case .array(let values): return .array(try values.map(opened))
            case .dictionary(let members):
                if members.count == 1, let path = members["$file"]?.string {
                    do {
                        files.append(try PointFile(readingAt: path).descriptor)
                    } catch {
                        throw Malformed("\(path) cannot be read: \(error)")
                    }
                    return .integer(Int64(files.count - 1))
                }
                return .dictionary(PropertyListDictionary(try members.map { ($0, try opened($1)) }))
            default: return value
            }
        }
        let plist = try opened(value)
        return EncodedValue(plist: plist, descriptors: files)
    }

    private static func error(_ members: PropertyListDictionary) -> any Error {
        let code = ExtensionHostError.Code.allCases.first { "\($0)" == members["name"]?.string }
        if let code { return ExtensionHostError(code, members["description"]?.string ?? "") }
        return NSError(
            domain: members["domain"]?.string ?? "exthostctl", code: Int(members["code"]?.integer ?? 0),
            userInfo: [NSLocalizedDescriptionKey: members["description"]?.string ?? ""])
    }

    private static func described(_ error: any Error) -> PropertyList {
        let known = error as? ExtensionHostError
        let error = error as NSError
        var members: PropertyListDictionary = [
            "domain": .string(error.domain), "code": .integer(Int64(known?.code.rawValue ?? error.code)),
            "description": .string(known?.message ?? error.localizedDescription),
        ]
        if let known { members["name"] = .string("\(known.code)") }
        if let remedy = known?.remedy { members["remedy"] = .string(remedy) }
        return .dictionary(members)
    }
}
