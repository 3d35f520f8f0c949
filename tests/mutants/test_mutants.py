"""The referee bites: every mistake put into PyTorch's files is caught, and the files themselves are verified."""

from pathlib import Path

import pytest
from rosetta.models import MODELS
from rosetta.referee import Verdict, judge, read_reference

from tests.mutants.bench import PYTORCH, Mutant, run
from tests.mutants.mutants import CAUGHT, UNSEEN


def named(mutant: Mutant) -> str:
    return f"{mutant.model}: {mutant.name}"


def judged(model: str, source: str, prepared: Path, folder: Path, adam: str = "bias_corrected") -> Verdict:
    try:
        record = run(model, source, prepared, folder)
    except ValueError as refusal:  # the harness refuses numbers that are not finite
        return Verdict("no", None, str(refusal))
    return judge(read_reference(prepared, model), "float32", adam, record)


@pytest.mark.parametrize("model", MODELS)
def test_the_implementation_is_verified(model: str, prepared: Path, tmp_path: Path) -> None:
    source = (PYTORCH / f"{model}.py").read_text(encoding="utf-8")
    verdict = judged(model, source, prepared, tmp_path)
    assert verdict.verified == "yes", verdict.reason


@pytest.mark.parametrize("mutant", CAUGHT, ids=named)
def test_a_mistake_is_caught(mutant: Mutant, prepared: Path, tmp_path: Path) -> None:
    verdict = judged(mutant.model, mutant.source(), prepared, tmp_path)
    assert verdict.verified == "no", verdict.reason


@pytest.mark.parametrize("mutant", UNSEEN, ids=named)
def test_what_is_not_seen(mutant: Mutant, prepared: Path, tmp_path: Path) -> None:
    verdict = judged(mutant.model, mutant.source(), prepared, tmp_path)
    assert verdict.verified == "yes", verdict.reason


def test_the_other_form_of_adam_is_named(prepared: Path, tmp_path: Path) -> None:
    source = (PYTORCH / "gru.py").read_text(encoding="utf-8")
    verdict = judged("gru", source, prepared, tmp_path, adam="epsilon_hat")
    assert verdict.verified == "no"
    assert "adam: bias_corrected" in verdict.reason


def test_a_mutant_that_fits_no_longer_fails_loudly() -> None:
    with pytest.raises(LookupError, match="holds 0 times"):
        Mutant("cnn", "gone", "not in the file", "").source()
