"""From what a page asks for to the words of a command; nothing else becomes one."""

from .folder import UploadError

_LONGEST_VALUE = 1000
_READING = {
    "id": "--id",
    "duplicates": "--duplicates",
    "layer": "--layer",
}
_LABELLED = _READING | {
    "target": "--target",
    "groups": "--groups",
    "sample_id": "--sample-id",
    "impute": "--impute",
    "preprocess": "--preprocess",
}
_ONE = {
    "select": _LABELLED
    | {
        "blocks": "--blocks",
        "method": "--method",
        "n_features": "--n-features-to-select",
        "max_features": "--max-features",
        "scoring": "--scoring",
    },
    "compare": _LABELLED,
    "predict": _READING | {"no_call": "--no-call"},
}
_SEVERAL = {
    "select": {"drop": "--drop", "covariates": "--covariates"},
    "compare": {"drop": "--drop"},
    "predict": {"drop": "--drop"},
}
_FLAGS = {
    "select": {
        "transpose": "--transpose",
        "allow_unmatched": "--allow-unmatched",
        "audit": "--audit",
    },
    "compare": {"transpose": "--transpose", "allow_unmatched": "--allow-unmatched"},
    "predict": {"transpose": "--transpose", "allow_extra": "--allow-extra"},
}
_WRITTEN = {
    "select": ["--report=report.html", "--features=features.csv", "--model=model.skops"],
    "compare": ["--report=report.html", "--output=comparison.csv"],
    "predict": ["--output=predictions.csv"],
}
COMMANDS = tuple(_WRITTEN)


def command_words(command, options):
    """Return the options of a command as its words; raise for what is not among them."""
    one, several, flags = _ONE[command], _SEVERAL[command], _FLAGS[command]
    words = []
    for name, value in options.items():
        if value in (None, "", False, []):
            continue
        if name in one:
            words.append(f"{one[name]}={_text(name, value)}")
        elif name in several and isinstance(value, list):
            words += [f"{several[name]}={_text(name, each)}" for each in value]
        elif name in flags and value is True:
            words.append(flags[name])
        else:
            raise UploadError(400, f"{command} has no option {name}={value!r}.")
    return words + _WRITTEN[command]


def _text(name, value):
    if not isinstance(value, str | int | float) or len(str(value)) > _LONGEST_VALUE:
        raise UploadError(400, f"{name} must be a text of at most {_LONGEST_VALUE} characters.")
    return str(value)
