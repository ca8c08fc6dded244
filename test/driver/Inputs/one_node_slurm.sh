#!/bin/bash
# Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One-node Slurm in a folder: starts munged, slurmctld and slurmd of its own, runs a command that finds them, and stops
# them. The folder keeps their logs.
#   one_node_slurm.sh FOLDER COMMAND [ARGUMENT…]
set -eu
PATH=$PATH:/usr/sbin
folder=$(mkdir -p "$1" && cd "$1" && pwd)
shift
mkdir -p "$folder"/{state,spool,log}
chmod 755 "$folder"
node=$(hostname -s)
user=$(id -un)
# A socket's path has at most 107 characters, and munged wants a folder that nobody else can write.
sockets=$(mktemp -d /tmp/slurm.XXXXXX)
chmod 755 "$sockets"
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'; }

stop() {
  for daemon in slurmd slurmctld munged; do
    if [ -s "$folder/$daemon.pid" ]; then
      kill "$(cat "$folder/$daemon.pid")" 2>/dev/null || true
    fi
  done
  rm -rf "$sockets"
}
trap stop EXIT

(umask 077 && head -c 1024 /dev/urandom > "$folder/munge.key")
munged --force --socket="$sockets/munge" --key-file="$folder/munge.key" --pid-file="$folder/munged.pid" \
  --log-file="$folder/log/munged" --seed-file="$folder/munge.seed"

# The place of resources is that of one node; control groups are not needed for the order in which tasks run.
cat > "$folder/slurm.conf" << END
ClusterName=one_node
SlurmctldHost=$node(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$sockets/munge
CryptoType=crypto/munge
SlurmctldPort=$(port)
SlurmdPort=$(port)
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=1
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$folder/slurm.conf
slurmctld -f "$SLURM_CONF"
slurmd -f "$SLURM_CONF"
for _ in $(seq 60); do
  if sinfo --noheader --format=%T 2>/dev/null | grep -q idle; then
    "$@"
    exit
  fi
  sleep 0.5
done
echo "the node did not come up:" >&2
tail -n 5 "$folder"/log/* >&2
exit 1
