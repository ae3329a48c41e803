// packet: the packets that the helper and its host exchange, and the helper's failure.

#ifndef EXTHOST_NETNS_PACKET_H
#define EXTHOST_NETNS_PACKET_H

#include <stdbool.h>
#include <stddef.h>

enum { PACKET_LENGTH = 64 * 1024, PACKET_STRINGS = 4096, PACKET_DESCRIPTORS = 4 };

struct packet {
    char bytes[PACKET_LENGTH];
    char *strings[PACKET_STRINGS];
    int count;
    int descriptors[PACKET_DESCRIPTORS];
    int descriptor_count;
    bool is_damaged;
};

/// Waits for a packet. Returns false at the end of the socket. The caller closes the descriptors.
bool receive(int socket, struct packet *packet);

void close_descriptors(struct packet *packet);

/// Splits `length` bytes into strings that end with a zero byte. Returns their number, or -1 if the last has no end or
/// there are more than `most`.
int split(char *bytes, size_t length, char **strings, int most);

/// Sends NUMBER ok TEXT, and a descriptor if it is not negative.
void answer(int socket, const char *number, const char *text, int descriptor);

/// Sends NUMBER exited STATUS.
void answer_exit(int socket, const char *number, int status);

/// Notes a failure, and returns false. The strings must live until the answer.
bool fail(const char *step, int code, const char *message, const char *remedy);

/// Sends the failure that was noted last.
void answer_failure(int socket, const char *number);

/// Writes a decimal number with its final zero byte: at most 21 bytes.
void format_number(char *text, unsigned long value);

/// Parses a decimal number of at most `most`.
bool parse_number(const char *text, unsigned long most, unsigned long *value);

#endif
