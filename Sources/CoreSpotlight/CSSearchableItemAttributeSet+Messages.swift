// CSSearchableItemAttributeSet+Messages: attributes of messages and events.

public import Foundation

extension CSSearchableItemAttributeSet {
    public var accountIdentifier: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var accountHandles: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var htmlContentData: Data? {
        get { storedData(#function) }
        set { store(newValue, #function) }
    }
    public var authorNames: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var authorEmailAddresses: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var authorAddresses: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var recipientNames: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var recipientEmailAddresses: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var recipientAddresses: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var phoneNumbers: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var mailboxIdentifiers: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var emailAddresses: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var emailHeaders: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var instantMessageAddresses: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var likelyJunk: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var dueDate: Date? {
        get { storedDate(#function) }
        set { store(newValue, #function) }
    }
    public var completionDate: Date? {
        get { storedDate(#function) }
        set { store(newValue, #function) }
    }
    public var startDate: Date? {
        get { storedDate(#function) }
        set { store(newValue, #function) }
    }
    public var endDate: Date? {
        get { storedDate(#function) }
        set { store(newValue, #function) }
    }
    public var importantDates: [Date]? {
        get { storedDates(#function) }
        set { store(newValue, #function) }
    }
    public var allDay: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var supportsPhoneCall: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var supportsNavigation: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
}
