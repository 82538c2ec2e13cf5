"""Merge models of different samples, without the samples; choose by the counts of sites."""

import shlex
from functools import partial
from pathlib import Path

from ...model_selection.methods import SCORES
from .. import display
from ..files import Outputs, load_model_file, plain_metadata, write_report
from ..messages import InputError, input_errors
from ..options import add_options, add_output, option_names, option_value, whole_number

HELP = "Merge models, or summaries of sites, of different samples, without the samples."
EXAMPLES = """\
  centroidal merge north.skops south.skops -o both.skops
  centroidal merge north.skops south.skops west.skops -k 20 -o all.skops
  centroidal merge merged.skops north_counts.skops south_counts.skops -o tumour.skops"""

_MERGED_BY = "centroidal merge"
_NO_SCORE = (
    "How well the merged model does is not known: the scores of its parts are those of other "
    "models. Try it on samples that none of them was trained on."
)
_NO_SCORE_YET = (
    "How well it does is not known yet: let each site score it on its own samples, and merge it "
    "with their counts."
)
_CHOOSING = ("--rule", "--scoring", "--max-features", "--report")  # by counts of sites


def add_arguments(parser):
    """Add the arguments."""
    parser.add_argument(
        "models", nargs="+", metavar="M.skops",
        help="two model files or more, of different samples with the same features; or summaries "
        "of sites; or their merged summary with the counts of all sites",
    )  # fmt: skip
    add_output(parser, "M.skops", "the model of all their samples")
    parser.add_argument(
        "-k", "--n-features-to-select", type=whole_number(1), metavar="N",
        help="how many features the merged model selects (default: as many as each of the models, "
        "which must be the same number)",
    )  # fmt: skip
    parser.add_argument(
        "--features", choices=("same", "intersection"), default="same",
        help="all files must have the same features, or those that not all have are left out "
        "(default: same)",
    )  # fmt: skip
    group = parser.add_argument_group("with counts of sites")
    group.add_argument(
        "--rule", choices=("best", "one_se"),
        help="take the number of features with the best score, or the smallest within one standard "
        "error of it (default: one_se)",
    )  # fmt: skip
    group.add_argument(
        "--scoring", choices=tuple(SCORES),
        help="what counts, and chooses the number of features (default: accuracy)",
    )  # fmt: skip
    group.add_argument(
        "--max-features", type=whole_number(1), metavar="N",
        help="the most features that may be chosen (default: any number)",
    )  # fmt: skip
    add_options(group, "--report")
    add_options(parser, "--force")


def run(args, messages):
    """Merge the models, and write the result with where its samples come from."""
    files = {"--output": (".skops",), "--report": (".html",)}
    outputs = Outputs(args, files, inputs=args.models)
    _check_each_once(args.models)
    from ...model_selection import SiteCounts

    cards, models = zip(*map(load_model_file, args.models), strict=True)
    if any(isinstance(each, SiteCounts) for each in models):
        _choose(args, messages, outputs, cards, models)
    else:
        _merge(args, messages, outputs, cards, models)


def _merge(args, messages, outputs, cards, models):
    """Merge models, or summaries of sites."""
    from ...io.merging import class_counts, merge_models
    from ...model_selection import SiteSummary
    from ...persistence import save_model

    for option in _CHOOSING:
        if option_value(args, option) is not None:
            raise InputError(f"{option} needs the merged summary of sites and all their counts.")
    with input_errors():
        model, remarks = merge_models(
            models, n_features_to_select=args.n_features_to_select, features=args.features,
            names=args.models, return_remarks=True,
        )  # fmt: skip
    counts = [class_counts(each) for each in models]
    sources = _sources(args.models, cards, counts)
    target, on_target = _common_target(args.models, cards)
    remarks += (*on_target, *_remark_on_repeated(sources))
    messages.remarks(remarks)
    no_score, steps = _NO_SCORE, _steps_of_model(args.output)
    if isinstance(model, SiteSummary):
        no_score, steps = _NO_SCORE_YET, _steps_of_sites(args.output, target)
    metadata = _metadata(model, class_counts(model), sources, target, (*remarks, no_score))
    by_file = dict(zip(args.models, counts, strict=True))
    with display.answer(
        args, outputs, partial(display.merge_counts, by_file), steps,
        class_name=type(model).__name__, classes=model.classes_,
        n_features=model.n_features_in_, **metadata,
    ):  # fmt: skip
        outputs.write(
            "--output", lambda path, force: save_model(model, path, metadata=metadata, force=force)
        )


def _choose(args, messages, outputs, cards, models):
    """Select features by a merged summary and the counts of its sites; write the model."""
    from ...io.merging import class_counts
    from ...model_selection import SiteCounts, SiteSummary, select_federated
    from ...persistence import save_model

    files = list(zip(args.models, cards, models, strict=True))
    summaries = [each for each in files if isinstance(each[2], SiteSummary)]
    counts = [each for each in files if isinstance(each[2], SiteCounts)]
    others = [path for path, _, model in files if not isinstance(model, SiteSummary | SiteCounts)]
    if len(summaries) != 1 or others:
        found = ", ".join(path for path, *_ in summaries) or "none"
        raise InputError(
            "counts of sites are merged with the one merged summary that was scored, and nothing "
            f"else; summaries: {found}; neither of both: {', '.join(others) or 'none'}."
        )
    asked = {
        "n_features_to_select": args.n_features_to_select, "max_features": args.max_features,
        "rule": args.rule, "scoring": args.scoring,
    }  # fmt: skip
    ((path, card, summary),) = summaries
    try:
        with input_errors():
            selection = select_federated(
                summary, [each for *_, each in counts], names=[path for path, *_ in counts],
                **{name: value for name, value in asked.items() if value is not None},
            )  # fmt: skip
    except InputError as error:
        raise InputError(option_names(error)) from error
    target, _ = _common_target([path], [card])
    metadata = plain_metadata(
        made_by=_MERGED_BY, sources=_sources([path], [card], [class_counts(summary)]),
        target=target, **selection.card(),
    )  # fmt: skip
    note, n_samples = selection.group_summary(), int(selection.class_counts.sum())
    if note:
        messages.note(f"Note: {note}")
    table = {
        "source": f"{len(counts)} sites", "target": target or "labels", "n_samples": n_samples,
        "n_features": selection.feature_names.size, "sites": summary.sites_,
    }  # fmt: skip
    values = {"table": table, "selection": selection.to_dict()}
    show = partial(display.selection, rows=selection.metric_rows())
    with display.answer(args, outputs, show, _steps_of_model(args.output), **values):
        outputs.write(
            "--output",
            lambda path, force: save_model(selection.model, path, metadata=metadata, force=force),
        )
        write_report(outputs, args, selection)


def _steps_of_model(path):
    path = shlex.quote(path)
    return {
        "predict new samples": f"centroidal predict {path} NEW.csv -o predictions.csv",
        "see what is in it": f"centroidal show {path}",
    }


def _steps_of_sites(path, target):
    path, name = shlex.quote(path), shlex.quote(target or "COLUMN")
    return {
        "at each site": f"centroidal score {path} TABLE --target {name} -o counts.skops",
        "then": f"centroidal merge {path} COUNTS.skops ... -o model.skops",
    }


def _check_each_once(paths):
    seen = set()
    for path in paths:
        if Path(path).resolve() in seen:
            raise InputError(f"{path} is given twice; its samples would count twice.")
        seen.add(Path(path).resolve())


def _sources(paths, cards, counts):
    """Return where the samples come from, as the cards say; what was merged before, by its parts.

    A card is a claim of its file, so only texts and numbers are taken from it.
    """
    sources = []
    for path, card, count in zip(paths, cards, counts, strict=True):
        before = card.metadata.get("sources")
        is_merged = card.metadata.get("made_by") == _MERGED_BY and isinstance(before, list)
        parts = [_source(each) for each in before if isinstance(each, dict)] if is_merged else []
        own = card.metadata | {"file": Path(path).name, "n_samples": sum(count.values())}
        sources += list(filter(None, parts)) or [_source(own)]
    return sources


def _source(metadata):
    names = ("file", "source", "digest", "n_samples")
    return {
        name: metadata[name] for name in names if isinstance(metadata.get(name), str | int | float)
    }


def _common_target(paths, cards):
    """Return the name of the labels if all have the same, and remarks if they differ."""
    targets = [card.metadata.get("target") for card in cards]
    if all(isinstance(each, str) and each == targets[0] for each in targets):
        return targets[0], ()
    if len({each for each in targets if isinstance(each, str)}) < 2:
        return None, ()
    names = ", ".join(f"{path}: {target}" for path, target in zip(paths, targets, strict=True))
    return None, (
        f"The labels have different names ({names}), so the merged model remembers none; predict "
        "leaves out a column of labels only if --drop names it.",
    )


def _remark_on_repeated(sources):
    """Remark on tables that several models were trained on."""
    files = {}
    for each in sources:
        if "digest" in each:
            files.setdefault(each["digest"], []).append(each.get("file", "?"))
    for names in files.values():
        if len(names) > 1:
            yield f"{', '.join(names)} come from the same table; its samples count several times."


def _metadata(model, counts, sources, target, remarks):
    """Return what the card of a merged model says; no score, as there is none."""
    return plain_metadata(
        made_by=_MERGED_BY, sources=sources, target=target, n_samples=sum(counts.values()),
        class_counts=counts, selected_features=_selected_names(model), remarks=remarks,
    )  # fmt: skip


def _selected_names(model):
    """Names of the features that a model reads, the best first; None if it reads all of them."""
    from ...io.prediction import columns_read

    is_read = columns_read(model)
    if is_read is None:
        return None
    columns = range(model.n_features_in_)
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in columns])
    return [str(names[j]) for j in getattr(model, "feature_ranking_", columns) if is_read[j]]
