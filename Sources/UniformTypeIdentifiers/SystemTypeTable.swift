// SystemTypeTable: the types that every system declares, one per line.

/// The declared types: identifier | direct supertypes | filename extensions | MIME types | description.
///
/// The preferred tag is first. If two types share a tag, the earlier line wins. The table is text instead of an array
/// literal, because a constant in the binary's read-only part costs nothing at start. `TypeTable` reads it once, at its
/// first use.
let systemTypeTable = """
    public.item||||item
    public.content||||content
    public.composite-content|public.content|||content with parts
    public.disk-image|public.archive|||disk image
    public.data|public.item|||data
    public.directory|public.item||inode/directory|directory
    com.apple.resolvable||||pointer to another item
    public.symlink|public.item,com.apple.resolvable||inode/symlink|symbolic link
    public.executable|public.item|||executable
    com.apple.mount-point|public.item,com.apple.resolvable||inode/mount-point|mount point
    com.apple.alias-file|public.data,com.apple.resolvable|||alias
    com.apple.bookmark|public.data,com.apple.resolvable|||bookmark data
    public.url|public.data|||URL
    public.file-url|public.url|||file URL
    public.text|public.data,public.content|||text
    public.plain-text|public.text|txt,text|text/plain|plain text
    public.utf8-plain-text|public.plain-text||text/plain;charset=utf-8|UTF-8 text
    public.utf16-external-plain-text|public.plain-text||text/plain;charset=utf-16|UTF-16 text with byte order mark
    public.utf16-plain-text|public.plain-text|||UTF-16 text
    public.delimited-values-text|public.text|||delimited values
    public.comma-separated-values-text|public.plain-text,public.delimited-values-text|csv|text/csv,text/comma-separated-values|CSV document
    public.tab-separated-values-text|public.plain-text,public.delimited-values-text|tsv|text/tab-separated-values|TSV document
    public.utf8-tab-separated-values-text|public.tab-separated-values-text,public.utf8-plain-text|||UTF-8 TSV document
    public.rtf|public.text|rtf|text/rtf,application/rtf|RTF document
    public.html|public.text|html,htm,shtml,shtm|text/html|HTML text
    public.xml|public.text|xml|application/xml,text/xml|XML text
    public.yaml|public.text|yml,yaml|application/x-yaml|YAML document
    public.css|public.text|css|text/css|CSS style sheet
    public.source-code|public.plain-text|||source code
    public.assembly-source|public.source-code|s||assembly source
    public.c-source|public.source-code|c||C source
    public.objective-c-source|public.source-code|m||Objective-C source
    public.swift-source|public.source-code|swift||Swift source
    public.c-plus-plus-source|public.source-code|cp,cpp,c++,cc,cxx||C++ source
    public.objective-c-plus-plus-source|public.source-code|mm||Objective-C++ source
    public.c-header|public.source-code|h||C header
    public.c-plus-plus-header|public.source-code|hh,hp,hpp,hxx,h++,ipp||C++ header
    public.script|public.source-code|||script
    com.apple.applescript.text|public.script|applescript||AppleScript text
    com.apple.applescript.script|public.data,public.script|scpt||compiled OSA script
    com.apple.applescript.script-bundle|com.apple.bundle,com.apple.package,public.script|scptd||OSA script bundle
    com.netscape.javascript-source|public.script,public.executable|js,javascript,jscript,mjs|text/javascript,application/javascript|JavaScript script
    public.shell-script|public.script|sh,command||shell script
    public.perl-script|public.shell-script|pl,pm|text/x-perl-script|Perl script
    public.python-script|public.shell-script|py|text/x-python-script|Python script
    public.ruby-script|public.shell-script|rb,rbw|text/x-ruby-script|Ruby script
    public.php-script|public.shell-script|php,php3,php4,ph3,ph4,phtml|text/php|PHP script
    public.make-source|public.script|make,mak,gmk,mk||makefile
    public.json|public.text|json|application/json|JSON document
    public.geojson|public.json|geojson|application/geo+json|GeoJSON document
    com.apple.haptics.ahap|public.json|ahap||haptics document
    com.apple.property-list|public.data|plist||property list
    com.apple.xml-property-list|public.xml,com.apple.property-list|plist|application/x-plist|XML property list
    com.apple.binary-property-list|com.apple.property-list|plist||binary property list
    com.adobe.pdf|public.data,public.composite-content|pdf|application/pdf|PDF document
    com.apple.rtfd|com.apple.package,public.composite-content|rtfd||RTF document with attachments
    com.apple.flat-rtfd|public.data,public.composite-content|||flat RTF document with attachments
    com.apple.webarchive|public.data,public.composite-content|webarchive|application/x-webarchive|web archive
    public.image|public.data,public.content|||image
    public.jpeg|public.image|jpeg,jpg,jpe|image/jpeg|JPEG image
    public.tiff|public.image|tiff,tif|image/tiff|TIFF image
    com.compuserve.gif|public.image|gif|image/gif|GIF image
    public.png|public.image|png|image/png|PNG image
    com.apple.icns|public.image|icns||icon image
    com.microsoft.bmp|public.image|bmp,dib|image/bmp|Windows bitmap image
    com.microsoft.ico|public.image|ico|image/vnd.microsoft.icon|Windows icon image
    public.camera-raw-image|public.image|||camera raw image
    com.adobe.raw-image|public.camera-raw-image|dng|image/x-adobe-dng|DNG image
    com.ilm.openexr-image|public.image|exr||OpenEXR image
    public.jpeg-xl|public.image|jxl|image/jxl|JPEG XL image
    public.svg-image|public.image,public.xml|svg,svgz|image/svg+xml|SVG image
    com.apple.live-photo||||live photo
    public.heif|public.heif-standard|heif|image/heif|HEIF image
    public.heic|public.heif-standard|heic|image/heic|HEIC image
    public.heics|public.heif-standard|heics|image/heic-sequence|HEIC image sequence
    org.webmproject.webp|public.image|webp|image/webp|WebP image
    public.3d-content|public.content|||3D content
    com.pixar.universal-scene-description|public.3d-content,public.data|usd,usda,usdc|model/vnd.usd|USD scene
    com.pixar.universal-scene-description-mobile|public.3d-content,public.data|usdz|model/vnd.usdz+zip|USDZ scene
    com.apple.reality|public.data|reality|model/vnd.reality|reality file
    com.apple.scenekit.scene|public.3d-content,public.data|scn,scnz||SceneKit scene
    com.apple.arobject|public.data|arobject||AR reference object
    public.audiovisual-content|public.data,public.content|||audiovisual content
    public.movie|public.audiovisual-content|||movie
    public.video|public.movie|||video
    public.audio|public.audiovisual-content|||audio
    com.apple.quicktime-movie|public.movie|mov,qt|video/quicktime|QuickTime movie
    public.mpeg|public.movie|mpg,mpeg,mpe,m75,m15|video/mpeg|MPEG movie
    public.mpeg-2-video|public.video|m2v|video/mpeg2|MPEG-2 video
    public.mpeg-2-transport-stream|public.movie|ts|video/mp2t|MPEG-2 transport stream
    public.mp3|public.audio|mp3,mpga|audio/mpeg,audio/mp3|MP3 audio
    public.mpeg-4|public.movie|mp4,mpg4|video/mp4|MPEG-4 movie
    public.mpeg-4-audio|public.audio|mp4a|audio/mp4|MPEG-4 audio
    com.apple.protected-mpeg-4-audio|public.audio|m4p||protected MPEG-4 audio
    com.apple.protected-mpeg-4-video|com.apple.m4v-video|m4v||protected MPEG-4 video
    public.avi|public.movie|avi,vfw|video/avi|AVI movie
    public.aiff-audio|public.aifc-audio|aiff,aif|audio/aiff|AIFF audio
    com.microsoft.waveform-audio|public.audio|wav,wave|audio/vnd.wave,audio/wav|WAV audio
    public.midi-audio|public.audio|midi,mid,smf,kar|audio/midi|MIDI audio
    public.playlist||||playlist
    public.m3u-playlist|public.plain-text,public.playlist|m3u,m3u8|audio/x-mpegurl|M3U playlist
    public.folder|public.directory|||folder
    public.volume|public.folder|||volume
    com.apple.package|public.directory|||package
    com.apple.bundle|public.directory|||bundle
    com.apple.plugin|com.apple.bundle,com.apple.package|plugin||plug-in
    com.apple.metadata-importer|com.apple.plugin|mdimporter||metadata importer
    com.apple.quicklook-generator|com.apple.plugin|qlgenerator||preview generator
    com.apple.xpc-service|com.apple.bundle,com.apple.package|xpc||XPC service
    com.apple.framework|com.apple.bundle|framework||framework
    com.apple.application|public.executable|||application
    com.apple.application-bundle|com.apple.application,com.apple.localizable-name-bundle,com.apple.package|app||application bundle
    com.apple.application-and-system-extension|com.apple.xpc-service|appex||application extension
    public.unix-executable|public.data,public.executable|||Unix executable
    com.microsoft.windows-executable|public.data,public.executable|exe|application/x-msdownload|Windows executable
    com.apple.systempreference.prefpane|com.apple.bundle,com.apple.package|prefpane||preference pane
    public.archive||||archive
    org.gnu.gnu-zip-archive|public.data,public.archive|gz,gzip|application/gzip,application/x-gzip|gzip archive
    public.bzip2-archive|public.data,public.archive|bz2,bzip2,bz|application/x-bzip2|bzip2 archive
    public.zip-archive|com.pkware.zip-archive|zip|application/zip|ZIP archive
    public.tar-archive|org.gnu.gnu-tar-archive|tar|application/x-tar|tar archive
    com.apple.archive|public.data,public.archive|aar,yaa||Apple archive
    public.spreadsheet|public.content|||spreadsheet
    public.presentation|public.composite-content|||presentation
    public.database||||database
    public.message||||message
    public.contact||||contact
    public.vcard|public.text,public.contact|vcf,vcard|text/vcard,text/x-vcard,text/directory|vCard
    public.to-do-item||||to-do item
    public.calendar-event||||calendar event
    public.email-message|public.message||message/rfc822|e-mail message
    com.apple.internet-location|public.stored-url,public.data|||internet location
    com.microsoft.internet-shortcut|public.stored-url,public.data|url||internet shortcut
    public.font|public.data|||font
    public.bookmark||||bookmark
    com.rsa.pkcs-12|public.data|p12,pfx|application/x-pkcs12|PKCS #12 archive
    public.x509-certificate|public.data|cer,crt,der,pem|application/x-x509-ca-cert|X.509 certificate
    org.idpf.epub-container|public.data,public.composite-content|epub|application/epub+zip|EPUB document
    public.log|public.item|||log
    com.apple.linkpresentation.metadata|public.data|||link preview metadata
    public.heif-standard|public.image|||HEIF container
    public.jpeg-2000|public.image|jp2,j2k,jpf,jpx|image/jp2|JPEG 2000 image
    public.aifc-audio|public.audio|aifc|audio/x-aifc|AIFC audio
    com.apple.m4v-video|public.mpeg-4|m4v|video/x-m4v|MPEG-4 video
    com.apple.m4a-audio|public.mpeg-4-audio|m4a|audio/x-m4a|MPEG-4 audio
    com.pkware.zip-archive|public.data,public.archive|||PKZIP archive
    public.url-name|public.data|||URL name
    com.microsoft.word.doc|public.data,public.composite-content|doc|application/msword|Word 97 document
    org.openxmlformats.wordprocessingml.document|public.data,public.composite-content|docx|application/vnd.openxmlformats-officedocument.wordprocessingml.document|Office Open XML text document
    com.microsoft.excel.xls|public.data,public.spreadsheet|xls|application/vnd.ms-excel|Excel 97 workbook
    org.openxmlformats.spreadsheetml.sheet|public.data,public.spreadsheet|xlsx|application/vnd.openxmlformats-officedocument.spreadsheetml.sheet|Office Open XML workbook
    com.microsoft.powerpoint.ppt|public.data,public.presentation|ppt|application/vnd.ms-powerpoint|PowerPoint 97 presentation
    org.openxmlformats.presentationml.presentation|public.data,public.presentation|pptx|application/vnd.openxmlformats-officedocument.presentationml.presentation|Office Open XML presentation
    com.apple.disk-image|public.disk-image|||Apple disk image
    com.apple.disk-image-udif|com.apple.disk-image,public.data|dmg|application/x-apple-diskimage|UDIF disk image
    public.iso-image|public.disk-image,public.data|iso|application/x-iso9660-image|ISO disk image
    com.adobe.photoshop-image|public.image|psd|image/vnd.adobe.photoshop|Photoshop image
    com.apple.ical.ics|public.text,public.calendar-event|ics|text/calendar|calendar document
    com.apple.mail.email|public.data,public.email-message|eml|message/rfc822|e-mail document
    net.daringfireball.markdown|public.plain-text|md,markdown|text/markdown|Markdown text
    public.opentype-font|public.font|otf|font/otf|OpenType font
    public.truetype-ttf-font|public.truetype-font|ttf|font/ttf|TrueType font
    public.xhtml|public.xml|xhtml,xht|application/xhtml+xml|XHTML text
    org.gnu.gnu-zip-tar-archive|org.gnu.gnu-zip-archive|tgz||gzip-compressed tar archive
    com.apple.log|public.plain-text,public.log|log||log document
    public.stored-url||||stored URL
    com.apple.web-internet-location|com.apple.internet-location|webloc||web location
    com.apple.localizable-name-bundle|com.apple.bundle|||bundle with a localized name
    org.gnu.gnu-tar-archive|public.data,public.archive|gtar||GNU tar archive
    public.tar-bzip2-archive|public.bzip2-archive|tbz2,tbz||bzip2-compressed tar archive
    public.cpio-archive|public.data,public.archive|cpio,pax|application/x-cpio|CPIO archive
    public.z-archive|public.data,public.archive|z|application/x-compress|Z archive
    com.apple.installer-package-archive|public.data,public.archive|pkg,mpkg||installer package
    public.truetype-font|public.font|||TrueType font
    public.rss|public.xml|rss|application/rss+xml|RSS feed
    org.w3.webvtt|public.text|vtt|text/vtt|WebVTT subtitles
    public.ndjson|public.text|ndjson|application/x-ndjson|newline-delimited JSON
    public.patch-file|public.plain-text|patch,diff|text/x-patch,text/x-diff|patch
    com.sun.java-source|public.source-code|java,jav|text/x-java|Java source
    public.bash-script|public.shell-script|bash||Bash script
    public.zsh-script|public.shell-script|zsh||Z shell script
    public.object-code|public.data,public.executable|||object code
    public.elf-binary|public.data,public.executable|||ELF binary
    public.3gpp|public.movie|3gp,3gpp,sdv|video/3gpp|3GPP movie
    public.3gpp2|public.movie|3g2,3gp2|video/3gpp2|3GPP2 movie
    public.dv-movie|public.movie|dv,dif|video/dv|DV movie
    public.aac-audio|public.audio|aac,adts|audio/aac|AAC audio
    public.ac3-audio|public.audio|ac3|audio/ac3|AC-3 audio
    public.au-audio|public.audio|au,snd|audio/basic|AU audio
    org.3gpp.adaptive-multi-rate-audio|public.audio|amr|audio/amr|AMR audio
    com.apple.coreaudio-format|public.audio|||Core Audio format
    public.alembic|public.3d-content,public.data|abc||Alembic scene
    public.geometry-definition-format|public.3d-content,public.text|obj||OBJ geometry
    public.polygon-file-format|public.3d-content,public.data|ply||PLY polygons
    public.standard-tesselated-geometry-format|public.3d-content,public.data|stl|model/stl|STL geometry
    org.nema.dicom|public.data|dcm,dicom|application/dicom|DICOM data
    com.apple.ical.vcs|public.text,public.calendar-event|vcs,vcal|text/x-vcalendar|vCalendar document
    """
