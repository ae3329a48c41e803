// CSSearchableItemAttributeSet+General: attributes that any item may have.

public import Foundation

extension CSSearchableItemAttributeSet {
    public var displayName: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var alternateNames: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var path: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var contentURL: URL? {
        get { storedURL(#function) }
        set { store(newValue, #function) }
    }
    public var thumbnailURL: URL? {
        get { storedURL(#function) }
        set { store(newValue, #function) }
    }
    public var thumbnailData: Data? {
        get { storedData(#function) }
        set { store(newValue, #function) }
    }
    public var relatedUniqueIdentifier: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var weakRelatedUniqueIdentifier: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var metadataModificationDate: Date? {
        get { storedDate(#function) }
        set { store(newValue, #function) }
    }
    public var contentType: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var contentTypeTree: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var keywords: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var title: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var version: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var userCreated: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var userOwned: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var userCurated: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var rankingHint: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var domainIdentifier: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var contentDescription: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var identifier: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var audiences: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var fileSize: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var pageCount: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var pageWidth: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var pageHeight: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var securityMethod: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var creator: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var encodingApplications: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var kind: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var fontNames: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var subject: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var theme: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var contentCreationDate: Date? {
        get { storedDate(#function) }
        set { store(newValue, #function) }
    }
    public var contentModificationDate: Date? {
        get { storedDate(#function) }
        set { store(newValue, #function) }
    }
    public var downloadedDate: Date? {
        get { storedDate(#function) }
        set { store(newValue, #function) }
    }
    public var lastUsedDate: Date? {
        get { storedDate(#function) }
        set { store(newValue, #function) }
    }
    public var addedDate: Date? {
        get { storedDate(#function) }
        set { store(newValue, #function) }
    }
    public var contentSources: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var contentRating: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var comment: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var copyright: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var information: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var organizations: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var projects: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var providerDataTypeIdentifiers: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var providerFileTypeIdentifiers: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var providerInPlaceFileTypeIdentifiers: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var rights: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var role: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var url: URL? {
        get { storedURL(#function) }
        set { store(newValue, #function) }
    }
    public var textContent: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var rating: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var ratingDescription: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var languages: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var participants: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var publishers: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var contributors: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var coverage: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var editors: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var instructions: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var containerTitle: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var containerDisplayName: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var containerIdentifier: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var containerOrder: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
}
