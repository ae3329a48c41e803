// What a confined program may touch, as the daemon writes it: one sealed memory, read once, before anything of the
// program runs.
//
// The bytes are strings, each ended by a zero byte. The first is "exthost-policy-1"; then come records of three
// strings: a verb and two arguments, of which those that a verb does not need are empty. An unknown verb, a missing
// string, a relative path or too many records refuse the whole policy: what is not understood could be what protects.
//
//   layer namespaces            a mount view, and no process, network or System V object of others
//   layer landlock ABI          a ruleset of that version of Landlock at most
//   layer seccomp               a filter of system calls
//   network client|server       sockets of the Internet families, and the network of the host; TCP only to connect, or
//   only to be connected
//                               to, where Landlock (4) tells them apart
//   teach paths                 refused paths are told, too
//   directory PATH              the working directory
//   read PATH [FILE]            a file or folder to read and execute
//   write PATH FILE             a folder to read and write, from which nothing is executed
//   place PATH FILE             the same, seen as PATH in the view
//   memory PATH SIZE            a folder in memory, of so many bytes
//   device PATH                 a device file to read and write
//   text PATH CONTENT           a file of the view
//   link PATH TARGET            a symbolic link of the view
//
// FILE is the number of an inherited descriptor: the file that the daemon opened and checked. Its name is never looked
// up again. Only what belongs to the system has no FILE: the system's folders and devices lie where no extension can
// write.

#ifndef EXTHOST_POLICY_H
#define EXTHOST_POLICY_H

#include <stdbool.h>

enum { POLICY_ENTRIES = 256, POLICY_BYTES = 256 * 1024 };

enum policy_verb { POLICY_READ, POLICY_WRITE, POLICY_PLACE, POLICY_MEMORY, POLICY_DEVICE, POLICY_TEXT, POLICY_LINK };

struct policy_entry {
    enum policy_verb verb;
    const char *path;  // absolute, as the program will know it
    const char *other;  // the second argument
    int file;  // the inherited descriptor, or -1
    const char *place;  // without a view, of a folder to write to: the name that the kernel has for it
    int tree;  // scratch of the mount view: the source, before it is put in its place
};

struct policy {
    bool has_namespaces, has_landlock, has_seccomp, teaches_paths;
    bool has_network, is_client, is_server;
    int landlock_version;
    const char *directory;  // NULL: stay
    struct policy_entry entries[POLICY_ENTRIES];
    int count;
};

/// Reads the sealed memory `descriptor` and closes it; 0 or a positive errno. The strings stay mapped for good. The
/// descriptors that it names become close-on-exec.
int read_policy(int descriptor, struct policy *policy);

/// Notes where the folders lie that a program without a view writes to. 0 or a positive errno.
int note_places(struct policy *policy);

/// Closes the descriptors that a policy names: nothing of the view is opened any more.
void close_files(struct policy *policy);

#endif
