// plist: decodes and encodes a property list by libplist, the library of Linux tools for iOS devices: plist FILE ROUNDS

#include "bench.h"

#include <plist/plist.h>

int main(int count, char **arguments) {
    if (count < 3) return 64;
    size_t room = 64 << 20;
    char *bytes = malloc(room);
    size_t length = read_file(arguments[1], bytes, room);
    struct samples both = {"both", "us"};
    for (int round = -2; round < atoi(arguments[2]); round++) {
        plist_t list = NULL;
        char *encoded = NULL;
        uint32_t size = 0;
        double begin = now();
        plist_from_bin(bytes, (uint32_t)length, &list);
        if (!list) fail("plist_from_bin");
        plist_to_bin(list, &encoded, &size);
        plist_to_bin_free(encoded);
        plist_free(list);
        if (round >= 0) add(&both, now() - begin);
    }
    print(&both);
    return 0;
}
