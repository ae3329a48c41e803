// IBusService: this program on the bus of IBus: its component, and the factory of its engines.

package import EventLoop
package import ExtensionHost
import ExtensionProtocol

/// The connection to IBus, with the engines that it has created.
@HostActor
package final class IBusService {
    private static let ibus = "org.freedesktop.IBus"
    private static let ibusPath = "/org/freedesktop/IBus"
    private static let factory = "org.freedesktop.IBus.Factory"
    private static let factoryPath = "/org/freedesktop/IBus/Factory"
    /// The maximum number of engines at a time. IBus has one for each field at most.
    private static let engineLimit = 256

    private let host: HostApplication
    private let clock: any HostClock
    private let limits: KeyboardEngine.Limits
    private let log: @HostActor (String) -> Void
    private var component: IBusComponent
    /// Returns the engines of the keyboards that exist now; nil if there are no others than at the start.
    private let refresh: (@Sendable () async throws -> IBusComponent)?
    private var bus: Bus?
    private var calls: BusCalls?
    private var engines: [String: EngineObject] = [:]
    private var lastEngine = 0

    /// - Parameters:
    ///   - component: the engines that this program offers.
    ///   - refresh: returns the engines of all keyboards, for a name that is not among the first ones.
    ///   - log: gets lines for the user.
    package init(
        _ component: IBusComponent, host: HostApplication, clock: any HostClock,
        limits: KeyboardEngine.Limits = KeyboardEngine.Limits(),
        refresh: (@Sendable () async throws -> IBusComponent)? = nil, log: @escaping @HostActor (String) -> Void
    ) {
        (self.component, self.host, self.clock, self.limits) = (component, host, clock, limits)
        (self.refresh, self.log) = (refresh, log)
    }

    /// Connects and offers the engines.
    ///
    /// - Parameters:
    ///   - address: the address of IBus's bus.
    ///   - isStartedByIBus: whether IBus has started this program, and waits for its name. Otherwise the program
    ///     registers its engines.
    ///   - ended: called once, if the connection ends after `connect` has returned.
    /// - Throws: `ExtensionHostError` `serviceUnavailable` if the bus refuses or is no IBus.
    package func connect(
        to address: String, isStartedByIBus: Bool, ended: @escaping @HostActor () -> Void
    ) async throws {
        let bus: Bus
        do {
            bus = try Bus(.address(address), disconnected: ended)
            calls = try BusCalls(on: bus, path: Self.factoryPath) { [weak self] call throws(BusError) in
                guard let self, call.isCall(to: "CreateEngine", of: Self.factory) else { return false }
                try create(call)
                return true
            }
        } catch {
            throw Self.refused("there is no bus at \(address)", "\(error)")
        }
        self.bus = bus
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            if isStartedByIBus {
                bus.requestName(IBusComponent.name) { result in
                    done.resume(
                        with: result.mapError {
                            Self.refused("IBus does not give the name \(IBusComponent.name)", "\($0)")
                        })
                }
            } else {
                bus.call(
                    "RegisterComponent", of: Self.ibus, at: Self.ibusPath, destination: Self.ibus,
                    { [component] message throws(BusError) in try message.append(component: component) },
                    answer: { result in
                        switch result {
                        case .success: done.resume()
                        case .failure(let error):
                            done.resume(
                                throwing: Self.refused(
                                    "IBus does not take the engines", "\(error.name): \(error.message)"))
                        }
                    })
            }
        }
    }

    private static func refused(_ message: String, _ cause: String) -> ExtensionHostError {
        ExtensionHostError(
            .serviceUnavailable, message,
            remedy: "Start ibus-daemon, or name its bus with --address or IBUS_ADDRESS", cause: cause)
    }

    /// Ends all engines and the connection.
    package func close() {
        for engine in engines.values { engine.end() }
        engines.removeAll()
        calls = nil
        bus?.close()
    }

    // MARK: Engines

    private func create(_ call: BusMessage) throws(BusError) {
        guard call.signature == "s", let name = try call.readString(atMost: 1024),
            let keyboard = IBusComponent.Engine.keyboard(of: name)
        else { throw .invalidArguments("CreateEngine takes the name of an engine of this component") }
        guard engines.count < Self.engineLimit else {
            throw BusError(
                name: "org.freedesktop.DBus.Error.LimitsExceeded", message: "there are \(Self.engineLimit) engines")
        }
        if component.engines.contains(where: { $0.keyboard == keyboard }) { return try create(keyboard, for: call) }
        guard let refresh else { throw Self.noKeyboard(keyboard) }
        // The keyboard may be newer than this program's start.
        Task { @HostActor in
            do {
                component = try await refresh()
                guard component.engines.contains(where: { $0.keyboard == keyboard }) else {
                    throw Self.noKeyboard(keyboard)
                }
                try create(keyboard, for: call)
            } catch let error as BusError {
                call.reply(error)
            } catch {
                call.reply(BusError(name: Self.factory + ".Error.NoKeyboard", message: "\(error)"))
            }
        }
    }

    private static func noKeyboard(_ keyboard: String) -> BusError {
        BusError(
            name: factory + ".Error.NoKeyboard",
            message: "there is no keyboard \(keyboard.prefix(128)); exthostctl list shows the extensions")
    }

    private func create(_ keyboard: String, for call: BusMessage) throws(BusError) {
        guard let bus else { return }
        lastEngine += 1
        let path = "/org/freedesktop/IBus/Engine/exthost/\(lastEngine)"
        do {
            engines[path] = try EngineObject(
                on: bus, path: path, owner: call.sender, keyboard, host, clock, limits, log: log,
                ended: { [weak self] engine in
                    engine.end()
                    self?.engines[engine.path] = nil
                })
        } catch {
            throw BusError(name: "org.freedesktop.DBus.Error.Failed", message: "\(error)")
        }
        try call.reply { answer throws(BusError) in try answer.append(objectPath: path) }
    }
}
