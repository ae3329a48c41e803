// FlowStage: the network filter of one test, and the flows that it decides about.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import Locks
import PointHosts
import PointMessages
import Scenarios

/// The flows of one test. The filter starts with the first.
final class FlowStage: Sendable {
    private let host: HostApplication
    private let identifier: String
    private let notes = FlowNotes(isLive: false)
    /// The filter, and the control provider that the first flow has named.
    private let filter = Mutex<(FilterHost, control: String?)?>(nil)

    init(_ host: HostApplication, _ identifier: String) { (self.host, self.identifier) = (host, identifier) }

    /// Asks the filter about a flow and its bytes. A flow without a verdict is the result `failed`.
    ///
    /// - Parameter folder: the folder to which the paths of files are relative.
    /// - Throws: `CommandError` for a flow that is none, or a file that cannot be read.
    func decide(_ step: FlowStep, in folder: String) async throws -> FlowAnswer {
        let flow = try FilterDriver.flow(step.url)
        let (inbound, outbound) = (try Self.bytes(step.inbound, folder), try Self.bytes(step.outbound, folder))
        let (filter, control) = filter.withLock { known in
            let made =
                known ?? (FilterHost(host, data: identifier, control: step.control, observer: notes.note), step.control)
            known = made
            return made
        }
        guard step.control == nil || step.control == control else {
            throw CommandError.usage(
                "the filter has started with another control provider", remedy: "Name it in the first line flow")
        }
        let ending: FilteredScript.Ending
        do {
            try await filter.start()
            ending = try await FilteredScript(flow, inbound, outbound).run(filter, notes)
        } catch {
            return FlowAnswer(result: .failed, members: [("reason", .string("\(error)"))], why: "\(error)")
        }
        let result: PointResult =
            switch ending.effect {
            case _ where !ending.isDecided: .failed
            case .remediated: .remediated
            case .dropped: .dropped
            case .allowed, .filtered, .closed: .allowed
            }
        return FlowAnswer(
            result: result, members: ending.members,
            why: ending.isDecided ? nil : ending.decision?.reason.description)
    }

    private static func bytes(_ file: String?, _ folder: String) throws -> [UInt8] {
        guard let file else { return [] }
        return Array(try InputFile(file.hasPrefix("/") ? file : "\(folder)/\(file)").data())
    }
}

/// The decision about a flow, for scenarios.
struct FlowAnswer: Sendable {
    let result: PointResult
    let members: [(name: String, value: JSON)]
    let why: String?
}
