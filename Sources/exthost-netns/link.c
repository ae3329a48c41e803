// link: the network devices of the namespace, and their settings, through rtnetlink(7).

#define _GNU_SOURCE
#include "link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/if_tun.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "enclosure.h"
#include "packet.h"

enum { LEAST_MTU = 576, MOST_MTU = 65535, SETTINGS = 512 };

struct network {
    unsigned char address[16];
    unsigned char family, prefix;
};

struct change {
    struct nlmsghdr header;
    union {
        struct ifinfomsg link;
        struct ifaddrmsg address;
        struct rtmsg route;
    } body;
    char attributes[128];
};

static int kernel = -1;
static int device = -1, device_index;
static char device_name[IFNAMSIZ];

// The settings that are in force: what the next ones must remove.
static struct setting {
    enum { ADDRESS, ROUTE, EXCLUDED } kind;
    struct network network;
} applied[SETTINGS];
static int applied_count;

static void begin(struct change *change, int type, int flags, size_t length) {
    memset(change, 0, sizeof *change);
    change->header.nlmsg_len = NLMSG_LENGTH(length);
    change->header.nlmsg_type = (unsigned short)type;
    change->header.nlmsg_flags = (unsigned short)(NLM_F_REQUEST | NLM_F_ACK | flags);
}

static struct rtattr *add(struct change *change, int type, const void *value, size_t length) {
    struct rtattr *attribute = (void *)((char *)change + NLMSG_ALIGN(change->header.nlmsg_len));
    attribute->rta_type = (unsigned short)type;
    attribute->rta_len = (unsigned short)RTA_LENGTH(length);
    if (length > 0) memcpy(RTA_DATA(attribute), value, length);
    change->header.nlmsg_len = NLMSG_ALIGN(change->header.nlmsg_len) + RTA_ALIGN(attribute->rta_len);
    return attribute;
}

// Returns 0 or an errno.
static int perform(struct change *change) {
    if (send(kernel, change, change->header.nlmsg_len, 0) < 0) return errno;
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char rest[512];
    } reply;
    ssize_t length;
    while ((length = recv(kernel, &reply, sizeof reply, 0)) < 0 && errno == EINTR) continue;
    if (length < (ssize_t)(sizeof reply.header + sizeof reply.error.error)) return length < 0 ? errno : EBADMSG;
    return reply.header.nlmsg_type == NLMSG_ERROR ? -reply.error.error : EBADMSG;
}

static int bring_up(int index, unsigned int mtu) {
    struct change change;
    begin(&change, RTM_NEWLINK, 0, sizeof change.body.link);
    change.body.link.ifi_index = index;
    change.body.link.ifi_flags = change.body.link.ifi_change = IFF_UP;
    if (mtu > 0) add(&change, IFLA_MTU, &mtu, sizeof mtu);
    return perform(&change);
}

bool start_links(void) {
    kernel = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    int code = kernel < 0 ? errno : bring_up((int)if_nametoindex("lo"), 0);
    return code == 0
        || fail("loopback", code, "the loopback device of the new namespace cannot be started",
            "If the system restricts user namespaces by AppArmor: sysctl "
            "kernel.apparmor_restrict_unprivileged_userns=0");
}

// Prevents the kernel's own packets of IPv6: without a link-local address there is no search for routers.
static void quieten(int index) {
    struct change change;
    unsigned char none = IN6_ADDR_GEN_MODE_NONE;
    begin(&change, RTM_NEWLINK, 0, sizeof change.body.link);
    change.body.link.ifi_index = index;
    struct rtattr *outer = add(&change, IFLA_AF_SPEC, NULL, 0);
    struct rtattr *inner = add(&change, AF_INET6, NULL, 0);
    add(&change, IFLA_INET6_ADDR_GEN_MODE, &none, sizeof none);
    char *end = (char *)&change + change.header.nlmsg_len;
    outer->rta_len = (unsigned short)(end - (char *)outer);
    inner->rta_len = (unsigned short)(end - (char *)inner);
    // A kernel without IPv6 has nothing to prevent.
    perform(&change);
}

bool make_device(const char *name, const char *mtu_text, int *descriptor, char *made) {
    unsigned long mtu;
    if (device >= 0) return fail("device", EEXIST, "the namespace has its TUN device already", "");
    if (strlen(name) >= IFNAMSIZ || strchr(name, '/') || strchr(name, '%') || strcmp(name, "lo") == 0)
        return fail("device", EINVAL, "this is no name of a network device", "");
    if (!parse_number(mtu_text, MOST_MTU, &mtu) || mtu < LEAST_MTU)
        return fail("device", EINVAL, "the MTU of the device must be from 576 to 65535", "");
    int opened = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
    if (opened < 0) {
        if (errno == ENOENT || errno == ENODEV || errno == ENXIO)
            return fail("device", errno, "there is no /dev/net/tun",
                "modprobe tun; in a container, give it the device /dev/net/tun");
        if (errno == EACCES || errno == EPERM)
            return fail("device", errno, "this user may not open /dev/net/tun",
                "chmod 0666 /dev/net/tun, as Debian's udev does; in a container, allow it the device");
        return fail("device", errno, "/dev/net/tun cannot be opened", "");
    }
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    strcpy(request.ifr_name, *name ? name : "tun0");
    int code = ioctl(opened, TUNSETIFF, &request) < 0 ? errno : 0;
    int index = code == 0 ? (int)if_nametoindex(request.ifr_name) : 0;
    if (code == 0) quieten(index);
    if (code == 0) code = bring_up(index, (unsigned int)mtu);
    if (code != 0) {
        close(opened);
        return fail("device", code, "the TUN device cannot be made", "");
    }
    device = *descriptor = opened;
    device_index = index;
    strcpy(device_name, request.ifr_name);
    strcpy(made, device_name);
    return true;
}

// Parses ADDRESS/PREFIX; for a route, the bits after the prefix must not matter.
static bool parse_network(const char *text, struct network *network, bool is_route) {
    char address[INET6_ADDRSTRLEN];
    const char *slash = strchr(text, '/');
    unsigned long prefix;
    if (!slash || (size_t)(slash - text) >= sizeof address) return false;
    memcpy(address, text, (size_t)(slash - text));
    address[slash - text] = 0;
    memset(network, 0, sizeof *network);
    if (inet_pton(AF_INET, address, network->address) == 1)
        network->family = AF_INET;
    else if (inet_pton(AF_INET6, address, network->address) == 1)
        network->family = AF_INET6;
    else
        return false;
    unsigned long most = network->family == AF_INET ? 32 : 128;
    if (!parse_number(slash + 1, most, &prefix)) return false;
    network->prefix = (unsigned char)prefix;
    for (unsigned long bit = prefix; is_route && bit < most; bit++)
        network->address[bit / 8] &= (unsigned char)~(0x80 >> bit % 8);
    return true;
}

static int change_setting(const struct setting *setting, bool is_new) {
    struct change change;
    const struct network *network = &setting->network;
    size_t length = network->family == AF_INET ? 4 : 16;
    int flags = is_new ? NLM_F_CREATE | NLM_F_EXCL : 0;
    if (setting->kind == ADDRESS) {
        begin(&change, is_new ? RTM_NEWADDR : RTM_DELADDR, flags, sizeof change.body.address);
        change.body.address = (struct ifaddrmsg){
            .ifa_family = network->family,
            .ifa_prefixlen = network->prefix,
            .ifa_flags = network->family == AF_INET6 ? IFA_F_NODAD : 0,
            .ifa_index = (unsigned int)device_index,
        };
        add(&change, IFA_LOCAL, network->address, length);
        add(&change, IFA_ADDRESS, network->address, length);
        return perform(&change);
    }
    begin(&change, is_new ? RTM_NEWROUTE : RTM_DELROUTE, flags, sizeof change.body.route);
    change.body.route = (struct rtmsg){
        .rtm_family = network->family,
        .rtm_dst_len = network->prefix,
        .rtm_table = RT_TABLE_MAIN,
        .rtm_protocol = RTPROT_STATIC,
        .rtm_scope = setting->kind == ROUTE && network->family == AF_INET ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE,
        .rtm_type = setting->kind == ROUTE ? RTN_UNICAST : RTN_UNREACHABLE,
    };
    add(&change, RTA_DST, network->address, length);
    if (setting->kind == ROUTE) add(&change, RTA_OIF, &device_index, sizeof device_index);
    return perform(&change);
}

static void remove_settings(void) {
    // Routes first: an address takes its own along.
    for (int i = applied_count; i-- > 0;)
        if (applied[i].kind != ADDRESS) change_setting(&applied[i], false);
    for (int i = applied_count; i-- > 0;)
        if (applied[i].kind == ADDRESS) change_setting(&applied[i], false);
    applied_count = 0;
}

static bool add_setting(const struct setting *setting) {
    int code = change_setting(setting, true);
    // The subnet of an address is a route already.
    if (code == EEXIST && setting->kind == ROUTE) return true;
    if (code == EEXIST) return fail("settings", code, "the settings have an address or an excluded route twice", "");
    if (code == EAFNOSUPPORT || code == EOPNOTSUPP || (code == EACCES && setting->network.family == AF_INET6))
        return fail("settings", code, "the kernel has no IPv6", "Leave out the IPv6 settings, or enable IPv6");
    if (code != 0) return fail("settings", code, "the kernel refuses an address or a route of the settings", "");
    applied[applied_count++] = *setting;
    return true;
}

// Appends a line to the text of /etc/resolv.conf.
static bool append(char *text, size_t size, const char *key, const char *value) {
    size_t used = strlen(text), length = strlen(key) + strlen(value) + 2;
    if (used + length >= size) return fail("settings", E2BIG, "the name servers and domains are too many", "");
    strcat(strcat(strcat(strcat(text, key), " "), value), "\n");
    return true;
}

static bool is_domain(const char *text) {
    size_t length = strlen(text);
    return length > 0 && length < 254
        && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == length;
}

// Reads the pairs. Nothing has changed when it returns false.
static bool read_settings(char **pairs, int count, struct setting *settings, int *setting_count, unsigned long *mtu,
    char *text, size_t size) {
    for (int i = 0; i < count; i += 2) {
        const char *key = pairs[i], *value = pairs[i + 1];
        struct setting *setting = &settings[*setting_count];
        unsigned char address[16];
        if (strcmp(key, "mtu") == 0) {
            if (!parse_number(value, MOST_MTU, mtu) || *mtu < LEAST_MTU)
                return fail("settings", EINVAL, "the MTU must be from 576 to 65535", "");
        } else if (strcmp(key, "nameserver") == 0) {
            if (inet_pton(AF_INET, value, address) != 1 && inet_pton(AF_INET6, value, address) != 1)
                return fail("settings", EINVAL, "a name server is no IP address", "");
            if (!append(text, size, key, value)) return false;
        } else if (strcmp(key, "search") == 0) {
            if (!is_domain(value)) return fail("settings", EINVAL, "a search domain is no domain name", "");
            if (!append(text, size, key, value)) return false;
        } else {
            if (strcmp(key, "address") == 0)
                setting->kind = ADDRESS;
            else if (strcmp(key, "route") == 0)
                setting->kind = ROUTE;
            else if (strcmp(key, "exclude") == 0)
                setting->kind = EXCLUDED;
            else
                return fail("settings", EINVAL, "the helper does not know a key of the settings", "");
            if (*setting_count == SETTINGS - 1)
                return fail("settings", E2BIG, "the settings have too many addresses and routes", "");
            if (!parse_network(value, &setting->network, setting->kind != ADDRESS))
                return fail("settings", EINVAL, "an address or a route is not of the form ADDRESS/PREFIX", "");
            (*setting_count)++;
        }
    }
    if (device < 0 && (*setting_count > 0 || *mtu > 0))
        return fail("settings", ENODEV, "there is no TUN device for the settings", "");
    return true;
}

bool apply_settings(char **pairs, int count) {
    static struct setting settings[SETTINGS];
    static char text[4096];
    int setting_count = 0;
    unsigned long mtu = 0;
    text[0] = 0;
    bool is_done = read_settings(pairs, count, settings, &setting_count, &mtu, text, sizeof text);
    remove_settings();
    if (is_done && mtu > 0) {
        int code = bring_up(device_index, (unsigned int)mtu);
        if (code != 0) is_done = fail("settings", code, "the kernel refuses the MTU", "");
    }
    // Addresses first: a route may need one as its source.
    for (int i = 0; i < setting_count && is_done; i++)
        if (settings[i].kind == ADDRESS) is_done = add_setting(&settings[i]);
    for (int i = 0; i < setting_count && is_done; i++)
        if (settings[i].kind != ADDRESS) is_done = add_setting(&settings[i]);
    is_done = is_done && write_resolver(text, strlen(text));
    if (is_done) return true;
    remove_settings();
    write_resolver("", 0);
    return false;
}
