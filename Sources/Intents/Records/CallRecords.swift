// CallRecords: the objects of intents that are calls and their kinds.

public import Foundation

/// The kinds of destinations of calls.
public enum INCallDestinationType: Int, Sendable, CaseIterable {
    case unknown, normal, emergency, voicemail, redial, callBack
}

extension INCallDestinationType: _IntentEnumeration {}

/// The ways of a call's sound.
public enum INCallAudioRoute: Int, Sendable, CaseIterable {
    case unknown, speakerphoneAudioRoute, bluetoothAudioRoute
}

extension INCallAudioRoute: _IntentEnumeration {}

/// The kinds of calls.
public enum INCallCapability: Int, Sendable, CaseIterable {
    case unknown, audioCall, videoCall
}

extension INCallCapability: _IntentEnumeration {}

/// The kinds of past calls.
public enum INCallRecordType: Int, Sendable, CaseIterable {
    case unknown, outgoing, missed, received, latest, voicemail, ringing, inProgress, onHold
}

extension INCallRecordType: _IntentEnumeration {}

/// A call of the past.
open class INCallRecord: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var identifier: String
    public internal(set) var dateCreated: Date?
    public internal(set) var callRecordType: INCallRecordType = .unknown
    public internal(set) var callCapability: INCallCapability = .unknown
    public internal(set) var callDuration: Double?
    public internal(set) var unseen: Bool?
    public internal(set) var participants: [INPerson]?

    public init(
        identifier: String, dateCreated: Date?, callRecordType: INCallRecordType, callCapability: INCallCapability,
        callDuration: Double?, unseen: Bool?
    ) {
        self.identifier = identifier
        self.dateCreated = dateCreated
        self.callRecordType = callRecordType
        self.callCapability = callCapability
        self.callDuration = callDuration
        self.unseen = unseen
    }

    public init(
        identifier: String, dateCreated: Date?, callRecordType: INCallRecordType, callCapability: INCallCapability,
        callDuration: Double?, unseen: Bool?, participants: [INPerson]?
    ) {
        self.identifier = identifier
        self.dateCreated = dateCreated
        self.callRecordType = callRecordType
        self.callCapability = callCapability
        self.callDuration = callDuration
        self.unseen = unseen
        self.participants = participants
    }
}

extension INCallRecord: IntentRecord {
    static var kind: String { "call" }
    static func read(_ members: IntentMembers) -> Any? {
        guard let identifier: String = members("identifier")
        else { return nil }
        let object = INCallRecord(
            identifier: identifier, dateCreated: members("dateCreated"),
            callRecordType: members("callRecordType") ?? .unknown,
            callCapability: members("callCapability") ?? .unknown, callDuration: members("callDuration"),
            unseen: members("unseen"))
        if let participants: [INPerson] = members("participants") { object.participants = participants }
        return object
    }
    var members: IntentMembers {
        IntentMembers([
            "identifier": identifier, "dateCreated": dateCreated, "callRecordType": callRecordType,
            "callCapability": callCapability, "callDuration": callDuration, "unseen": unseen,
            "participants": participants,
        ])
    }
}

/// The past calls that are meant.
open class INCallRecordFilter: NSObject, @unchecked Sendable {  // its properties do not change after `init`
    public internal(set) var participants: [INPerson]?
    public internal(set) var callCapability: INCallCapability = .unknown

    public init(participants: [INPerson]?, callCapability: INCallCapability) {
        self.participants = participants
        self.callCapability = callCapability
    }
}

extension INCallRecordFilter: IntentRecord {
    static var kind: String { "callFilter" }
    static func read(_ members: IntentMembers) -> Any? {
        return INCallRecordFilter(
            participants: members("participants"), callCapability: members("callCapability") ?? .unknown)
    }
    var members: IntentMembers {
        IntentMembers(["participants": participants, "callCapability": callCapability])
    }
}
