// ExtensionMessages: the keys under which Safari and its web extensions exchange messages.

/// The key in an item's `userInfo` for the message of the web extension's script, and for the answer to it.
public let SFExtensionMessageKey = "message"

/// The key in an item's `userInfo` for the identifier of the profile that the script runs in.
public let SFExtensionProfileKey = "profile"
