#!/bin/bash
# all: checks the installed services by one script after the other, in one booted systemd (Tests/Systemd/box): all.sh
# [SCRIPT…]. Each script has its arguments in the same word. The default is the scripts of the user's service, of the
# system's service and of restarts.
status=0
[ $# != 0 ] || set -- user-service system-service restarts
for script in "$@"; do
    read -ra words <<<"$script"
    echo "--- $script"
    bash "/exthost-box/${words[0]}.sh" "${words[@]:1}" || status=1
done
exit $status
