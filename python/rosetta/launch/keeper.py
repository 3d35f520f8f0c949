"""The keeper: a tiny process between launcher and job, so that no process of the job outlives the launcher.

It is started as a program of its own, in a session of its own, so that no signal of the terminal reaches it:

    python -I -S keeper.py REPORT_FD FOLDER [NAME=VALUE...] -- COMMAND...

It adopts the orphans among the job's processes (`PR_SET_CHILD_SUBREAPER`), so none leaves its tree, not even by
`setsid`. When its standard input ends, which happens by itself when the launcher dies of whatever cause, it kills the
tree and removes the job's private folder. If the keeper itself is killed, the kernel kills the job
(`PR_SET_PDEATHSIG`) and the launcher what is left of it.

It is tiny because the kernel counts the memory of the process that forks as the child's own peak (`ru_maxrss`
survives `exec`): a job's peak is never less than the keeper's 10 MB, where it would be the launcher's hundreds. So it
imports next to nothing.

It reports lines of words to REPORT_FD; moments are in nanoseconds:

    refused ERRNO                              the command could not be started
    started PID MONOTONIC_NS UNIX_NS           when the process was made
    ended WAIT_STATUS MONOTONIC_NS             when its end was noticed
    gone USER_S SYSTEM_S PEAK_BYTES [NAME...]  no process is left; the kernel's account; whom the job had left behind
"""

# pathlib and contextlib are slow to import:
# ruff: noqa: PTH123, PTH208, SIM105
import ctypes
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Iterator

END = b"e"  # on standard input: end the job
DONE = b"d"  # on standard input: the launcher has removed the folder itself

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
DEFAULT_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGXFSZ)
PEAK_UNIT_BYTES = 1024 if sys.platform == "linux" else 1  # of ru_maxrss: see getrusage(2)
LEFTOVER_GRACE_S = 0.5  # for helpers that end by themselves once the job is gone
SCAN_PAUSE_S = 0.002


def process_control(option: int, value: int) -> None:
    """Call Linux's `prctl`; elsewhere do nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def children(pid: int) -> list[int]:
    """The process ids of a process's children; empty when it has ended, and where there is no Linux `/proc`."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    found = []
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as listed:
                found += [int(child) for child in listed.read().split()]
        except OSError:
            pass  # the thread has ended: its children went to another
    return found


def family(roots: list[int]) -> list[int]:
    """The given processes and all their descendants, parents first."""
    found = []
    while roots:
        found += roots
        roots = [child for parent in roots for child in children(parent)]
    return found


def end_children(spared: frozenset[int] = frozenset(), patience_s: float = float("inf")) -> bool:
    """Kill this process's children, but the spared ones, with all their descendants, and wait until none is left.

    Returns:
        Whether none is left: False if the patience ended first.
    """
    patience_ends = time.monotonic() + patience_s
    pause_s = SCAN_PAUSE_S
    while doomed := [child for child in children(os.getpid()) if child not in spared]:
        if time.monotonic() > patience_ends:
            return False
        for pid in family(doomed):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            except PermissionError:  # a set-user-id program: not ours to end
                spared |= {pid}
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, 0.1)
        for pid in doomed:
            list(reap(pid))
    return True


def reap(which: int) -> Iterator[tuple[int, int]]:
    """Reap what has ended, and give process id and wait status: of the child `which`, or of all (-1)."""
    try:
        while (ended := os.waitpid(which, os.WNOHANG))[0]:
            yield ended
    except ChildProcessError:
        pass


def _start(command: list[str], additions: dict[str, str], report_fd: int) -> int:
    """Start the job and report it; give its process id, 0 if it could not be started."""
    failure_fd, child_failure_fd = os.pipe()  # closed by a successful exec
    keeper = os.getpid()
    environment = {**os.environ, **additions}
    monotonic_ns, unix_ns = time.monotonic_ns(), time.time_ns()
    environment["ROSETTA_SPAWNED_MONOTONIC_NS"] = str(monotonic_ns)
    environment["ROSETTA_SPAWNED_UNIX_NS"] = str(unix_ns)
    pid = os.fork()
    if pid == 0:
        try:
            _become_job(keeper)
            os.execvpe(command[0], command, environment)
        except OSError as error:
            os.write(child_failure_fd, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(child_failure_fd)
    failure = os.read(failure_fd, 16)
    if failure:
        os.waitpid(pid, 0)
        _report(report_fd, "refused", failure.decode())
        return 0
    _report(report_fd, "started", pid, monotonic_ns, unix_ns)
    return pid


def _become_job(keeper: int) -> None:
    """In the new process, before the job's program: a session of its own, no input, signals as they are by default."""
    process_control(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != keeper:  # it died before the line above
        os._exit(127)
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in DEFAULT_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def _report(report_fd: int, *words: object) -> None:
    try:
        os.write(report_fd, (" ".join(map(str, words)) + "\n").encode())
    except BrokenPipeError:
        pass  # the launcher is gone: standard input has ended as well


def _name(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm", errors="replace") as name:
            return "_".join(name.read().split())
    except OSError:
        return "?"


class Keeper:
    """Keeps one job, from its start until the launcher is done with it or gone."""

    def __init__(self, report_fd: int, folder: str) -> None:
        self._report_fd = report_fd
        self._folder = folder
        self._wished_end = False
        os.set_inheritable(report_fd, False)
        process_control(PR_SET_CHILD_SUBREAPER, 1)
        woken_fd, wake_fd = os.pipe()
        os.set_blocking(woken_fd, False)
        os.set_blocking(wake_fd, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake_fd, warn_on_full_buffer=False)
        self._woken_fd = woken_fd

    def run(self, command: list[str], additions: dict[str, str]) -> None:
        """Start the command with additions to the environment, wait for its end, end what it leaves, tidy up."""
        job = _start(command, additions, self._report_fd)
        if job:
            self._wait_for(job)
            left = self._leftovers()
            end_children()
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            peak_bytes = usage.ru_maxrss * PEAK_UNIT_BYTES
            _report(self._report_fd, "gone", usage.ru_utime, usage.ru_stime, peak_bytes, *left)
        self._tidy()

    def _wait_for(self, job: int) -> None:
        """Return once the job has ended, which it is made to when the launcher says so or vanishes."""
        events = select.poll()
        events.register(self._woken_fd, select.POLLIN)
        events.register(0, select.POLLIN)
        ended = False
        while not ended:
            ready = [fd for fd, _ in events.poll()]
            if 0 in ready:
                try:
                    os.killpg(job, signal.SIGKILL)
                except PermissionError:  # a set-user-id program: it ends when it wants to
                    pass
                self._wished_end = True
                events.unregister(0)
            if self._woken_fd in ready:
                os.read(self._woken_fd, 512)
            for pid, status in reap(-1):
                if pid == job:
                    _report(self._report_fd, "ended", status, time.monotonic_ns())
                    ended = True

    def _leftovers(self) -> list[str]:
        """The names of the processes that the job has left behind, after a short time for them to end by themselves."""
        patience_ends = time.monotonic() + (0 if self._wished_end else LEFTOVER_GRACE_S)
        while (left := children(os.getpid())) and time.monotonic() < patience_ends:
            time.sleep(SCAN_PAUSE_S)
            list(reap(-1))
        return [_name(pid) for pid in family(left)]

    def _tidy(self) -> None:
        """Wait for the launcher; remove the folder if it has vanished."""
        while word := os.read(0, 1):
            if word == DONE:
                return
        import shutil  # slow to import, and seldom needed

        shutil.rmtree(self._folder, ignore_errors=True)


def main(arguments: list[str]) -> None:
    """Run the keeper with the arguments of the command line."""
    report_fd, folder, *rest = arguments
    split = rest.index("--")
    additions = dict(addition.split("=", 1) for addition in rest[:split])
    Keeper(int(report_fd), folder).run(rest[split + 1 :], additions)


if __name__ == "__main__":
    main(sys.argv[1:])
