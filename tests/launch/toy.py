"""A harness that does what its first argument says: toy.py BEHAVIOUR[=ARGUMENT] JOB RECORD."""

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

behaviour, _, argument = sys.argv[1].partition("=")
job_path, record_path = Path(sys.argv[2]), Path(sys.argv[3])


def answer(**changes):
    """The right answer to the job, with some fields changed."""
    job = json.loads(job_path.read_text())
    checked, outputs = job["check"]["inputs"]["shape"][0], {"cnn": 10, "resnet50": 2048, "gru": 2}[job["model"]]
    phases = dict.fromkeys(("start_s", "import_s", "load_s", "build_s", "first_step_s", "predict_s"), 0.001)
    right = {
        "contract": 1,
        "versions": {"toy": "1"},
        "device": {"kind": job["device"], "name": "toy"},
        "threads": job["threads"],
        "precision": job["precision"],
        "phases": {**phases, "epoch_s": [0.001] * job["epochs"]},
        "check": {"outputs_before": [[0.5] * outputs] * checked, "repeat_difference": 0},
    }
    if job["epochs"]:
        steps = job["tensors"]["batches"]["shape"][1]
        right["losses"] = {"first_step": 2.3, "epochs": [[2.3] * steps] * job["epochs"]}
        right["accuracy"] = 0.1
        right["check"]["losses"] = [2.3] * job["check"]["batches"]["shape"][0]
        right["check"]["outputs_after"] = [[0.5] * outputs] * checked
    else:
        right["features"] = {"mean": 0.4, "deviation": 0.2, "means": [0.4] * job["tensors"]["test_inputs"]["shape"][0]}
    return {**right, **changes}


def leave(record):
    """Leave a record, whole or not at all."""
    partial = record_path.with_suffix(".partial")
    partial.write_text(json.dumps(record))
    partial.rename(record_path)


def refusal(status, message, **more):
    return {"contract": 1, "error": {"status": status, "message": message, **more}}


def die(number):
    """Die of a signal, without a core file."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.kill(os.getpid(), number)


def hold(size_mb):
    """Memory, all of it touched."""
    return bytearray(b"\x01") * (size_mb << 20)


def brood(ids_path):
    """Have children, grandchildren, and daemons in sessions of their own; write their process ids, and sleep."""
    script = """
        echo $$
        sleep 100 & echo $!
        setsid sleep 100 & echo $!
        (setsid setsid bash -c 'echo $$; exec sleep 100' &) &
        setsid bash -c 'trap "" TERM INT HUP; echo $$; sleep 100 & echo $!; wait' &
        wait
    """
    bash = subprocess.Popen(["bash", "-c", script], stdout=subprocess.PIPE, text=True)
    ids = [str(os.getpid())]
    ids += [bash.stdout.readline().strip() for _ in range(script.count("echo"))]
    partial = ids_path.with_suffix(".partial")
    partial.write_text("\n".join(ids))
    partial.rename(ids_path)
    time.sleep(100)


match behaviour:
    case "answer":
        leave(answer(**json.loads(argument or "{}")))
    case "answer_part":  # answer_part={"check": {"losses": [...]}}
        changes = json.loads(argument)
        leave(answer(**{part: {**answer()[part], **change} for part, change in changes.items()}))
    case "answer_without":  # answer_without=check.losses
        record = answer()
        *path, last = argument.split(".")
        place = record
        for key in path:
            place = place[key]
        del place[last]
        leave(record)
    case "write":
        record_path.write_text(argument)
    case "write_nested":
        record_path.write_text("[" * 200_000)
    case "folder":
        record_path.mkdir()
    case "fifo":
        os.mkfifo(record_path)
    case "huge":
        with record_path.open("wb") as file:
            file.truncate(100 << 20)
    case "refuse":
        leave(refusal("failed", argument, where="toy/cnn.py:33"))
        sys.exit(1)
    case "unavailable":
        leave(refusal("unavailable", argument))
        sys.exit(1)
    case "exception":
        raise ValueError("the weights do not fit")
    case "say_and_exit":
        code, _, words = argument.partition(" ")
        print(words)
        sys.exit(int(code))
    case "signal":
        print("doing something", flush=True)
        die(int(argument))
    case "segfault":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        ctypes.string_at(0)
    case "answer_then_signal":
        leave(answer())
        die(int(argument))
    case "answer_then_exit":
        leave(answer())
        sys.exit(int(argument))
    case "answer_then_hang":
        leave(answer())
        time.sleep(100)
    case "refuse_then_hang":
        leave(refusal("failed", "no such layer"))
        time.sleep(100)
    case "sleep":
        time.sleep(float(argument))
    case "stubborn":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(100)
    case "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    case "hold":
        memory = hold(int(argument))
        leave(answer())
    case "hold_on":
        memory = hold(int(argument))
        time.sleep(100)
    case "hold_in_grandchild":
        code = f"memory = bytearray(b'1') * ({argument} << 20); import time; time.sleep(0.1)"
        subprocess.run(["bash", "-c", f'{sys.executable} -I -S -c "{code}"; true'], check=True)
        leave(answer())
    case "hold_in_many":  # each on its own
        code = f"memory = bytearray(b'1') * ({argument} << 20); import time; time.sleep(1)"
        workers = [subprocess.Popen([sys.executable, "-I", "-S", "-c", code]) for _ in range(3)]
        for worker in workers:
            worker.wait()
        leave(answer())
    case "hold_shared":  # by forked workers
        memory = hold(int(argument))
        for _ in range(4):
            if os.fork() == 0:
                time.sleep(0.9)
                os._exit(0)
        for _ in range(4):
            os.wait()
        leave(answer())
    case "burn":
        ends = time.process_time() + float(argument)
        while time.process_time() < ends:
            pass
        leave(answer())
    case "burn_in_child":
        code = f"import time\nwhile time.process_time() < {argument}: pass"
        subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)
        leave(answer())
    case "daemon":
        subprocess.Popen(["setsid", "sleep", "100"])
        time.sleep(0.1)
        leave(answer())
    case "helper":  # ends by itself soon after
        subprocess.Popen(["sleep", "0.1"])
        leave(answer())
    case "flood":
        while True:
            os.write(1, b"@progress " + b"x" * 89 + b"\n" + (b"x" * 99 + b"\n") * 10_000)
    case "garbage":
        os.write(
            1, b"@progress \xff\xfe\n\xff\x00 \x1b[31m ValueError: caf\xe9 \x1b[0m\nValueError: caf\xe9\x07 \x1b[0m\n"
        )
        sys.exit(2)
    case "closed":
        os.close(1)
        os.close(2)
        leave(answer())
    case "progress":
        for epoch in range(1, 4):
            print(f"@progress epoch {epoch} of 3\nother words", flush=True)
            time.sleep(0.3)
        leave(answer())
    case "environment":
        notes = [str(time.monotonic_ns()), str(time.time_ns())]
        leave(answer(versions=dict(os.environ), notes=notes))
    case "standing":
        signals = [line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "SigIgn" in line]
        leave(
            answer(
                notes=[
                    str(os.getsid(0) == os.getpgid(0) == os.getpid()),
                    str(Path("/proc/self/fd/0").readlink()),
                    *signals,
                    " ".join(sorted(path.name for path in Path("/proc/self/fd").iterdir() if path.exists())),
                    f"{job_path.parent.stat().st_mode & 0o777:o}",
                    str(job_path.parent),
                    tempfile.mkdtemp(),
                ]
            )
        )
    case "brood":
        brood(Path(argument))
    case _:
        raise SystemExit(f"no such behaviour: {behaviour}")
