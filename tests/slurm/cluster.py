"""A Slurm cluster of one node on loopback, with everything it writes in one folder, and stopped for certain.

Needs root, and Debian's slurm-wlm and munge. Nothing of a Slurm or munge that is installed and running is touched: the
configuration, the key, the sockets and the ports are its own.
"""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo")
SEARCHED = os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/bin"

CONFIGURATION = """\
ClusterName=stallcast
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Why there can be no cluster here, or ''."""
    if os.geteuid() != 0:
        return "only root can start slurmd"
    absent = [name for name in PROGRAMS if not shutil.which(name, path=SEARCHED)]
    return f"{', '.join(absent)} not installed (on Debian: apt-get install slurm-wlm munge)" if absent else ""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def end_with_the_test():
    """Of a daemon: a test that is killed leaves none behind."""
    parent_death_signal = 1  # PR_SET_PDEATHSIG
    ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGTERM)


class Cluster:
    """`with Cluster(folder) as cluster:` has a node that takes jobs."""

    START_S = 60

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.daemons = []
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
        self.environment |= {"PATH": SEARCHED, "SLURM_CONF": f"{self.folder}/slurm.conf"}

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        self._stop()

    def run(self, *command, cwd=None):
        """What a command of Slurm prints."""
        done = subprocess.run(command, env=self.environment, cwd=cwd, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr}\n{self.logs()}")
        return done.stdout

    def wait_for(self, what, seconds, holds):
        end = time.monotonic() + seconds
        while not holds():
            dead = [daemon.args[0] for daemon in self.daemons if daemon.poll() is not None]
            if dead or time.monotonic() > end:
                raise RuntimeError(f"{' and '.join(dead) + ' ended before' if dead else 'waited in vain for'} {what}"
                                   f"\n{self.logs()}")
            time.sleep(0.2)

    def run_array(self, script, *options, cwd):
        """Submits a job array and waits until Slurm has nothing left to do."""
        job = self.run("sbatch", "--parsable", *options, script, cwd=cwd).strip()
        self.wait_for(f"the end of job {job}", 180, lambda: not self.run("squeue", "--noheader").strip())

    def logs(self):
        text = ""
        for name in ("munged.log", "slurmctld.log", "slurmd.log"):
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    text += f"--- {name}\n" + "".join(file.readlines()[-20:])
        return text

    def _start(self):
        for name in ("state", "spool"):
            os.makedirs(os.path.join(self.folder, name), mode=0o755)
        os.chmod(self.folder, 0o755)  # munged trusts no folder that others can write
        key = os.path.join(self.folder, "munge.key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o400), "wb") as file:
            file.write(os.urandom(128))
        controller_port, node_port = free_ports(2)
        host = socket.gethostname().split(".")[0]
        with open(os.path.join(self.folder, "slurm.conf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(host=host, folder=self.folder, controller_port=controller_port,
                                            node_port=node_port))
        munge = os.path.join(self.folder, "munge.socket")
        self._spawn("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={munge}",
                    f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                    f"--seed-file={self.folder}/munged.seed")
        self.wait_for("munged", self.START_S, lambda: os.path.exists(munge))
        configuration = self.environment["SLURM_CONF"]
        self._spawn("slurmctld", "-D", "-i", "-f", configuration)
        self._spawn("slurmd", "-D", "-f", configuration, "-N", host)
        self.wait_for("a node that takes jobs", self.START_S, self._node_is_idle)

    def _node_is_idle(self):
        asked = subprocess.run(("sinfo", "--noheader", "--format=%T"), env=self.environment, capture_output=True,
                               text=True, timeout=60)
        return asked.stdout.strip() == "idle"

    def _spawn(self, *command):
        with open(os.path.join(self.folder, command[0] + ".out"), "w", encoding="utf-8") as out:
            self.daemons.append(subprocess.Popen(command, env=self.environment, stdout=out, stderr=out,
                                                 cwd=self.folder, start_new_session=True,
                                                 preexec_fn=end_with_the_test))

    def _stop(self):
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
