// CallParts: the parts of the reply to a call, as they come.

import ExtensionItems
import ExtensionProtocol
import ExtensionPointKit

/// The parts of a reply. The call is made when the iteration begins; iterate the sequence once.
public struct CallParts<Part: Codable & Sendable>: AsyncSequence, Sendable {
    /// A part that has come. Its release lets the extension send another one, also if nobody has read it.
    fileprivate final class Arrival: Sendable {
        let part: Part
        private let taken: @Sendable () -> Void

        init(part: Part, taken: @escaping @Sendable () -> Void) { (self.part, self.taken) = (part, taken) }

        deinit { taken() }
    }

    private let call: @Sendable (@escaping CallPort.PartReceiver) async throws -> Void

    init(_ call: @escaping @Sendable (@escaping CallPort.PartReceiver) async throws -> Void) { self.call = call }

    /// Makes the call.
    public func makeAsyncIterator() -> AsyncIterator {
        let (stream, parts) = AsyncThrowingStream<Arrival, any Error>.makeStream()
        let task = Task { [call] in
            do {
                try await call { value, taken in
                    do {
                        parts.yield(Arrival(part: try PointDecoder.decode(Part.self, from: value), taken: taken))
                    } catch {
                        taken()
                        parts.finish(
                            throwing: ExtensionHostError(
                                .protocolViolation, "a part of the reply does not fit", cause: "\(error)"))
                    }
                }
                parts.finish()
            } catch {
                parts.finish(throwing: error)
            }
        }
        parts.onTermination = { _ in task.cancel() }
        return AsyncIterator(parts: stream.makeAsyncIterator())
    }

    /// The iterator of the parts. Its release cancels a call that is still open.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var parts: AsyncThrowingStream<Arrival, any Error>.Iterator

        /// Returns the next part, and lets the extension send another; nil after the reply.
        public mutating func next() async throws -> Part? {
            try await parts.next()?.part
        }
    }
}
