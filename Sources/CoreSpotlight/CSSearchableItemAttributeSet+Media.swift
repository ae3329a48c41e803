// CSSearchableItemAttributeSet+Media: attributes of images, sounds and films.

public import Foundation

extension CSSearchableItemAttributeSet {
    public var duration: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var streamable: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var totalBitRate: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var videoBitRate: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var audioBitRate: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var codecs: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var mediaTypes: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var deliveryType: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var director: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var genre: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var producer: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var originalFormat: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var originalSource: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var local: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var playCount: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var contactKeywords: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var performers: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var album: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var artist: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var composer: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var lyricist: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var audioSampleRate: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var audioChannelCount: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var tempo: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var keySignature: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var timeSignature: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var audioEncodingApplication: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var audioTrackNumber: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var musicalGenre: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var musicalInstrumentCategory: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var musicalInstrumentName: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var recordingDate: Date? {
        get { storedDate(#function) }
        set { store(newValue, #function) }
    }
    public var generalMIDISequence: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var pixelHeight: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var pixelWidth: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var pixelCount: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var colorSpace: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var bitsPerSample: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var flashOn: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var focalLength: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var focalLength35mm: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var acquisitionMake: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var acquisitionModel: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var cameraOwner: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var lensModel: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var isoSpeed: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var orientation: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var layerNames: [String]? {
        get { storedTexts(#function) }
        set { store(newValue, #function) }
    }
    public var whiteBalance: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var aperture: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var profileName: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var resolutionWidthDPI: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var resolutionHeightDPI: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var exposureMode: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var exposureTime: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var exifVersion: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var exifgpsVersion: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var hasAlphaChannel: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var redEyeOn: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var meteringMode: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var maxAperture: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var fNumber: NSNumber? {
        get { storedNumber(#function) }
        set { store(newValue, #function) }
    }
    public var exposureProgram: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
    public var exposureTimeString: String? {
        get { storedText(#function) }
        set { store(newValue, #function) }
    }
}
