// Kill: an operator ends processes.

/// Ends processes with cause `terminatedByOperator`: every one of an extension, or the one of a pid. Answered once they
/// are gone.
public struct Kill: RequestMessage {
    public typealias Response = Killed
    public static let kind = MessageKind.kill

    public enum Target: Sendable, Hashable {
        case identifier(String)
        case pid(Int)
    }

    public var target: Target

    public init(_ target: Target) { self.target = target }

    public init(_ fields: Fields) throws(ProtocolError) {
        if let pid: Int = try fields.optional(.pid) {
            target = .pid(pid)
        } else {
            target = .identifier(try fields.value(.extension))
        }
    }

    public func encode(into fields: inout FieldWriter) {
        switch target {
        case .identifier(let identifier): fields.set(.extension, identifier)
        case .pid(let pid): fields.set(.pid, pid)
        }
    }
}
