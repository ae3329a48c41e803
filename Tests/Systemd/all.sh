#!/bin/bash
# Claims about the installed services, one script after the other, in one booted systemd (Tests/Systemd/box): all.sh [SCRIPT…], each with its arguments
# in one word; those of the user's and the system's service and of restarts without any.
status=0
[ $# != 0 ] || set -- user-service system-service restarts
for script in "$@"; do
    read -ra words <<<"$script"
    echo "--- $script"
    bash "/exthost-box/${words[0]}.sh" "${words[@]:1}" || status=1
done
exit $status
