// policy: the policy of a confined program. The daemon writes it into a sealed memory, and exthost-init reads it once,
// before it starts the program.
//
// The bytes are strings, each ended by a zero byte. The first is "exthost-policy-1". Then follow records of three
// strings: a verb and two arguments, which are empty if the verb does not need them. An unknown verb, a missing string,
// a relative path or too many records make the whole policy invalid: an unknown record could be a protection.
//
//   layer namespaces            a mount view, without others' processes, network or System V objects
//   layer landlock ABI          a ruleset of at most that version of Landlock
//   layer seccomp               a filter of system calls
//   network client|server       sockets of the Internet families and the host's network; TCP in that direction only, if
//                               Landlock can distinguish them (version 4)
//   teach paths                 refused paths are also reported
//   directory PATH              the working directory
//   read PATH [FILE]            a file or folder to read and execute
//   write PATH FILE             a folder to read and write, without execution
//   place PATH FILE             the same, visible as PATH in the view
//   memory PATH SIZE            a folder in memory, with a size in bytes
//   device PATH                 a device file to read and write
//   text PATH CONTENT           a file of the view
//   link PATH TARGET            a symbolic link of the view
//
// FILE is the number of an inherited descriptor: the file that the daemon opened and checked. Its name is never
// resolved again. Only system folders and devices have no FILE, because no extension can write to their paths.

#ifndef EXTHOST_POLICY_H
#define EXTHOST_POLICY_H

#include <stdbool.h>

enum { POLICY_ENTRIES = 256, POLICY_BYTES = 256 * 1024 };

enum policy_verb { POLICY_READ, POLICY_WRITE, POLICY_PLACE, POLICY_MEMORY, POLICY_DEVICE, POLICY_TEXT, POLICY_LINK };

struct policy_entry {
    enum policy_verb verb;
    const char *path;  // absolute, in the program's view
    const char *other;  // the second argument
    int file;  // the inherited descriptor, or -1
    // The kernel's name of a writable folder, for a policy without a view.
    const char *place;
    int tree;  // the mount view's detached source, until it is in place
};

struct policy {
    bool has_namespaces, has_landlock, has_seccomp, teaches_paths;
    bool has_network, is_client, is_server;
    int landlock_version;
    const char *directory;  // NULL: unchanged
    struct policy_entry entries[POLICY_ENTRIES];
    int count;
};

/// Reads the sealed memory `descriptor` and closes it. The strings stay mapped for good. The descriptors in the policy
/// become close-on-exec. Returns 0 or a positive errno.
int read_policy(int descriptor, struct policy *policy);

/// Stores the paths of the folders that a program without a view may write to. Returns 0 or a positive errno.
int note_places(struct policy *policy);

/// Closes the descriptors in a policy, once the view needs no more of them.
void close_files(struct policy *policy);

#endif
