#!/bin/bash
# Every claim about the installed services, one script after the other, in one booted systemd (Tests/Systemd/box).
status=0
for script in user-service system-service; do
    echo "--- $script"
    bash "/exthost-box/$script.sh" || status=1
done
exit $status
