// Program: the program that a process runs, as the model knows it, and the input and effects around a launch.

package import ExtensionProtocol

/// One copy of an extension or app, run with the rights of one user.
///
/// Processes of one program can serve each other's requests.
package struct Program: Sendable, Hashable {
    /// All copies of an extension under one user. They share a crash breaker.
    package struct Name: Sendable, Hashable {
        package let identifier: String
        /// The user in the system's daemon; else nil.
        package let user: UInt32?
        /// Whether it is the program of a service: an extension may have the service's name.
        package let isService: Bool

        /// The place in lists.
        var order: (String, UInt32, Int) { (identifier, user ?? 0, isService ? 1 : 0) }

        package init(_ identifier: String, of user: UInt32?, isService: Bool = false) {
            self.identifier = identifier
            self.user = user
            self.isService = isService
        }
    }

    /// The number of the program. A program that has become another one has another number.
    package let number: Int
    package let name: Name
    /// The number of processes that are to wait for a request.
    package let prewarmed: Int

    package init(number: Int, name: Name, prewarmed: Int = 0) {
        self.number = number
        self.name = name
        self.prewarmed = prewarmed
    }

    package static func == (left: Self, right: Self) -> Bool { left.number == right.number }

    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension LifecycleModel {
    /// A process that the daemon has, from its launch on.
    package struct Launch: Sendable, Hashable {
        package let program: Program
        package let policy: ProcessStateMachine.Policy
        package let isPrewarmed: Bool

        package init(_ program: Program, _ policy: ProcessStateMachine.Policy, isPrewarmed: Bool = false) {
            self.program = program
            self.policy = policy
            self.isPrewarmed = isPrewarmed
        }
    }

    /// The history of a process before a request is assigned to it.
    package enum Assignment: Sendable, Hashable {
        /// The process was launched for this request.
        case launched
        /// The process has waited for its first request.
        case prewarmed
        /// The process existed before.
        case reused
    }

    package enum LaunchRefusal: Sendable, Hashable {
        /// `words`: the limit that the host's new process would exceed.
        case quota(QuotaBook.Level, words: String)
        case breakerOpen
    }

    package enum LaunchEffect: Sendable, Hashable {
        /// No process can serve the request. Once nothing prevents a launch, `mayLaunch` follows.
        case needed(RequestIdentifier)
        /// The reason for the refusal of the request, which follows.
        case refused(RequestIdentifier, LaunchRefusal)
        /// Post `prewarm` soon.
        case schedulePrewarming
        /// Launch a process for no request, or post `notPrewarmed`.
        case prewarm(Program)
        /// The limit of waiting processes is reached, with so many already.
        case prewarmLimit(waiting: Int, ofUser: Int)
        /// `pause`: nanoseconds until `breakerPauseOver`.
        case breakerOpened(Program.Name, failures: Int, pause: UInt64, Cause)
        case breakerClosed(Program.Name, isReset: Bool)
    }

    /// The settings that decisions depend on.
    package struct Configuration: Sendable, Hashable {
        /// The failures in a row that open a breaker; nil: there are no breakers.
        package var breakerLimit: Int?
        /// The quotas; nil: there are none.
        package var quotas: QuotaBook.Limits?
        /// The maximum numbers of processes that wait for a request, of all users and of one.
        package var prewarmLimit = Int.max
        package var prewarmLimitOfUser = Int.max
        /// Whether a process may be suspended as soon as its hosts are not active.
        package var suspendsWhenInactive = false

        package init() {}
    }
}
