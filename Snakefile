# One benchmark in every language: prepare the data, run every implementation, check what each computed, gather the table.
#
#     snakemake --cores 1 results/table.csv
#
# The rules are thin: what a step does is in python/rosetta, what there is to run in */language.yaml.
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

sys.path.insert(0, str(Path(workflow.basedir) / "python"))

from rosetta import lock, provenance
from rosetta.errors import RosettaError
from rosetta.languages import Row
from rosetta.plan import Plan, put_own_python_first


workdir: workflow.basedir


if Path.cwd() != Path(workflow.basedir):
    raise WorkflowError(
        f"The workflow works in its own folder, {workflow.basedir}: leave out --directory."
    )


# A killed Snakemake leaves its lock: it is removed, unless another one works here.
if workflow.is_main_process:
    working = lock.take(Path(workflow.basedir))


# The steps run by the Python that runs Snakemake, unless conda brings another.
put_own_python_first()


configfile: "config/quick.yaml"


try:
    if workflow.is_main_process:
        provenance.require(Path(workflow.basedir))
    plan = Plan(
        Path(workflow.basedir),
        config,
        probe=not workflow.deployment_settings.deployment_method,
    )
except RosettaError as error:
    raise WorkflowError(str(error)) from None


def row(wildcards):
    return Row(
        wildcards.language, wildcards.framework, wildcards.model, wildcards.bridge
    )


wildcard_constraints:
    language="|".join(sorted({row.language for row in plan.rows})),
    framework="|".join(sorted({row.framework for row in plan.rows})),
    model="|".join(plan.models),
    bridge="|".join(sorted({row.bridge for row in plan.rows})),
    run=r"\d+",


localrules:
    all,
    check,


rule all:
    input:
        "results/table.csv",
        "results/report.html",


rule prepare:
    output:
        "shared_data/{model}.json",
    log:
        "results/logs/prepare-{model}.log",
    conda:
        "envs/runner.yaml"
    params:
        settings=lambda wildcards: plan.prepare(wildcards.model),
    shell:
        "exec python python/rosetta prepare {wildcards.model} --settings {params.settings:q} --log {log}"


rule weights:
    input:
        lambda wildcards: (
            ["shared_data/resnet50.json"] if wildcards.model == "resnet50" else []
        ),
    output:
        "shared_data/weights/{model}.json",
    log:
        "results/logs/weights-{model}.log",
    conda:
        "envs/runner.yaml"
    params:
        settings=lambda wildcards: plan.weights(wildcards.model),
    shell:
        "exec python python/rosetta weights {wildcards.model} --settings {params.settings:q} --log {log}"


rule batches:
    input:
        "shared_data/{model}.json",
    output:
        "shared_data/batches/{model}.json",
    log:
        "results/logs/batches-{model}.log",
    conda:
        "envs/runner.yaml"
    params:
        settings=lambda wildcards: plan.batches(wildcards.model),
    shell:
        "exec python python/rosetta batches {wildcards.model} --settings {params.settings:q} --log {log}"


rule reference:
    input:
        "shared_data/{model}.json",
        "shared_data/weights/{model}.json",
        lambda wildcards: (
            ["shared_data/batches/{model}.json"]
            if plan.trains(wildcards.model)
            else []
        ),
    output:
        "shared_data/reference/{model}.json",
    log:
        "results/logs/reference-{model}.log",
    conda:
        "envs/runner.yaml"
    params:
        settings=lambda wildcards: plan.reference(wildcards.model),
    shell:
        "exec python python/rosetta reference {wildcards.model} --settings {params.settings:q} --log {log}"


# More threads than any machine has: the rule takes all cores, so nothing runs beside a benchmark.
rule run:
    input:
        lambda wildcards: plan.sources(row(wildcards)),
        "shared_data/{model}.json",
        "shared_data/weights/{model}.json",
        "shared_data/reference/{model}.json",
        lambda wildcards: (
            ["shared_data/batches/{model}.json"]
            if plan.row_trains(row(wildcards))
            else []
        ),
    output:
        update("results/runs/{language}/{framework}/{model}/{bridge}/{run}.json"),
    log:
        "results/runs/{language}/{framework}/{model}/{bridge}/{run}.log",
    conda:
        lambda wildcards: plan.conda(row(wildcards))
    threads: 1000
    resources:
        wall_s=plan.limit_s("wall_s"),
        exit_grace_s=plan.limit_s("exit_grace_s"),
        memory_mib=plan.limit_mib(),
        # What a cluster is asked for: more than the limits, so that the launcher sees them first.
        runtime=plan.limit_s("wall_s") // 60 + 10,
        mem_mb=plan.limit_mib() + 2000,
    params:
        settings=lambda wildcards: plan.run(row(wildcards), int(wildcards.run)),
    shell:
        "exec python python/rosetta run {output} --settings {params.settings:q} --log {log}"
        " --wall-s {resources.wall_s} --memory-mib {resources.memory_mib} --exit-grace-s {resources.exit_grace_s}"


rule table:
    input:
        plan.runs(),
        plan.language_files(),
        expand("shared_data/reference/{model}.json", model=plan.models),
        "shared_data/published/rosetta_2018.csv",
    output:
        table="results/table.csv",
        runs="results/runs.csv",
        settings="results/settings.json",
    log:
        "results/logs/table.log",
    conda:
        "envs/runner.yaml"
    params:
        settings=plan.table(),
    shell:
        "exec python python/rosetta table {output} --settings {params.settings:q} --log {log}"


rule report:
    input:
        table="results/table.csv",
        runs="results/runs.csv",
        settings="results/settings.json",
        shown=plan.report_files(),
    output:
        "results/report.html",
    log:
        "results/logs/report.log",
    conda:
        "envs/runner.yaml"
    shell:
        "exec python python/rosetta report {input.table} {input.runs} {input.settings} {output} --log {log}"


# Red (exit code 1) if a row failed or computed something else.
rule check:
    input:
        "results/table.csv",
    log:
        "results/logs/check.log",
    conda:
        "envs/runner.yaml"
    shell:
        "exec python python/rosetta check {input} --log {log}"
