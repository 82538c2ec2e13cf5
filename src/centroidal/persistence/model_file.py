"""Model files: estimators in an archive that is checked before anything in it is built.

A file is a zip archive in the format of skops: ``schema.json`` says which objects of which types
there are, and each array is a member of its own. ``centroidal.json`` beside it is the card. What
is read is audited twice: against the short lists of trusted types, and again by skops. Only what
passed is handed to skops, in a new archive; members that nobody refers to, identities of objects
and whatever else a file may hold do not get there.
"""

import json
import re
import zipfile
from collections.abc import Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import numpy as np
import sklearn
from sklearn.pipeline import Pipeline

from .._files import check_source, check_target, write_atomically
from .._html import titled_table
from .._optional import require
from .._parameters import check_parameters
from .._plain import json_plain
from .._state import StateError, check_state, has_state
from .._typing import FilePath
from ..classifiers import DecisionDAGClassifier
from .archive import pack_archive, parse_json, read_members
from .audit import Audit, UntrustedTypeError
from .vectorisers import check_vectoriser

__all__ = [
    "ModelCard",
    "check_model",
    "errors_that_name",
    "load_model",
    "model_file_content",
    "read_model_card",
    "save_model",
]

_SEARCHES = (
    "GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV",
)  # fmt: skip
_CARD, _SUFFIX = "centroidal.json", ".skops"
_MAX_BYTES = 2**30


@dataclass(frozen=True)
class ModelCard:
    """What a model file says of its model; a claim of the file, which nothing was built to check.

    Parameters
    ----------
    class_name : str
        Class of the estimator.
    parameters : dict
        Its parameters, with those of the estimators in it; whatever JSON cannot say is there by
        the name of its type.
    feature_names : list of str or None
        Names of the features, if it was fitted to a data frame.
    classes : list or None
        Labels of the classes, if it is a fitted classifier.
    metadata : dict
        What `save_model` was given.
    centroidal_version : str
        Version that wrote the file.
    sklearn_version : str
        Version of scikit-learn at that time.
    """

    class_name: str
    parameters: dict
    feature_names: list | None
    classes: list | None
    metadata: dict = field(default_factory=dict)
    centroidal_version: str = ""
    sklearn_version: str = ""

    def _repr_html_(self):
        known = {name: value for name, value in self.metadata.items() if _is_short(value)}
        selected = self.metadata.get("selected_features")
        if isinstance(selected, list):
            known["selected features"] = (
                f"{len(selected):,}, first {', '.join(map(str, selected[:10]))}"
            )
        rows = [*known.items(), *self.parameters.items()]
        classes = "" if self.classes is None else f" of {', '.join(map(str, self.classes[:10]))}"
        return titled_table(f"{self.class_name}{classes}", ("what", "value"), rows)


def _is_short(value):
    return value is None or isinstance(value, str | int | float)


def save_model(
    model: Any,
    path: FilePath,
    *,
    metadata: dict[str, Any] | None = None,
    force: bool = False,
    trusted: Sequence[str] = (),
) -> None:
    """Write an estimator to a file that `load_model` reads without running code from it.

    Parameters
    ----------
    model : estimator
        An estimator of this library, fitted or not, or a pipeline of one with imputers, scalers,
        vectorisers and linear models of scikit-learn. Of a search its best estimator is saved.
    path : str or path
        File to write; its name must end in ``.skops``.
    metadata : dict, default=None
        Anything that JSON can say, under names: where the data came from, who to ask.
    force : bool, default=False
        Whether a file that exists may be overwritten.
    trusted : sequence of str, default=()
        Dotted names of further types that the model may hold, as in :func:`load_model`.

    Raises
    ------
    FileExistsError
        If the file exists and `force` is False.
    UntrustedTypeError
        If the model holds something that `load_model` would refuse. Nothing is written then.

    See Also
    --------
    load_model : Reads the file.

    Notes
    -----
    The file is written in one atomic step. The same model gives the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from centroidal import SparseCenterClassifier
    >>> from centroidal.datasets import load_expression
    >>> from centroidal.persistence import load_model, read_model_card, save_model
    >>> X, y = load_expression(return_X_y=True)
    >>> model = SparseCenterClassifier(20, scale="within").fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "expression.skops"
    ...     save_model(model, path, metadata={"source": "the shipped table"})
    ...     card, loaded = read_model_card(path), load_model(path)
    >>> card.class_name, card.metadata
    ('SparseCenterClassifier', {'source': 'the shipped table'})
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    """
    path = check_target(path, _SUFFIX, force)
    metadata = _check_metadata(metadata)
    content = model_file_content(model, metadata, trusted=_check_trusted(trusted))
    write_atomically(path, content, force=force)


def model_file_content(model, metadata, more_members=None, trusted=()):
    """Return the bytes of a model file; further members are for whoever reads them."""
    model = _plain_copy(model)
    card = vars(_card_of(model)) | {"metadata": metadata}
    check_model(model)
    members = (
        _members_of(model, trusted) | (more_members or {}) | {_CARD: json.dumps(card).encode()}
    )
    return pack_archive(members)


def _members_of(model, trusted):
    skops_io = require("skops.io", "persist", "A model file")
    try:
        content = skops_io.dumps(_with_keys(model, _text_of))
    except RecursionError:
        raise UntrustedTypeError(
            f"{type(model).__name__} holds something that refers to itself, as requests for "
            "metadata do (set_fit_request), which a model file cannot."
        ) from None
    except (TypeError, ValueError, AttributeError) as error:
        raise UntrustedTypeError(
            f"{type(model).__name__} holds something that a model file cannot: {error}"
        ) from error
    with zipfile.ZipFile(BytesIO(content)) as archive:
        audit = Audit({name: archive.read(name) for name in archive.namelist()}, np.inf, trusted)
    return audit.members_of(audit.schema())


def load_model(path: FilePath, *, max_bytes: int = _MAX_BYTES, trusted: Sequence[str] = ()) -> Any:
    """Read an estimator that `save_model` wrote, without trusting the file.

    Parameters
    ----------
    path : str or path
        File to read.
    max_bytes : int, default=2**30
        How much the file may hold once it is unpacked.
    trusted : sequence of str, default=()
        Dotted names of further types and functions that this file may hold, such as
        ``"package.module.Estimator"``. They are imported and built with whatever state the file
        gives them, so name only what you would run.

    Returns
    -------
    estimator
        Predicts what the saved one predicted, to the bit on the same machine.

    Raises
    ------
    UntrustedTypeError
        If the file names a type or a function that is not on the list of those that are needed.
        Its name is in the message, and nothing was built or imported.
    ValueError
        If the file is damaged, too large, or of a later version of this library than this one; or
        if it is not a file but a folder, a device or a pipe.

    See Also
    --------
    read_model_card : Reads what the file says of the model, and builds nothing.

    Notes
    -----
    Nothing is unpickled. A file can still hold a model that is *wrong*: only who wrote it can say
    whether its predictions are worth anything.

    Files of earlier versions are read; one of a later version (the first two numbers count) is
    refused, because what this version does not know it would silently leave out. Where a model has
    parts of scikit-learn, written by another version of it, scikit-learn warns.
    """
    skops_io = require("skops.io", "persist", "A model file")
    trusted = _check_trusted(trusted)
    check_source(path)
    with errors_that_name(path), open(path, "rb") as stream:
        members = read_members(stream, max_bytes)
        card = _parse_card(members)
        _check_version(card.centroidal_version)
        audit = Audit(members, max_bytes, trusted)
        members = audit.members_of(audit.schema())
        model = skops_io.loads(pack_archive(members), trusted=sorted(audit.kinds))
        if type(model).__name__ != card.class_name:
            raise ValueError(f"holds a {type(model).__name__}, not a {card.class_name}")
        model = _with_keys(model, _pair_of)
        check_model(model)
        return model


def check_model(model):
    """Raise unless the parameters and the fitted state of a model are such as fitting gives.

    Of all estimators of this library in it, wherever they are, and of vectorisers; the others of
    scikit-learn compute with arrays alone, which refuse what does not fit together.
    """
    for each in objects_in(model, set()):
        if not hasattr(each, "get_params") or isinstance(each, type):
            continue
        try:
            if has_state(each):
                check_parameters(each)
                check_state(each)
            check_vectoriser(each)
        except StateError as error:
            raise error.inside(type(each).__name__) from None


def _check_trusted(trusted):
    """Return the names of types that a person trusts."""
    names = [trusted] if isinstance(trusted, str) else list(trusted)
    for name in names:
        if not isinstance(name, str) or "." not in name:
            raise ValueError(f"trusted={name!r} must be the dotted name of a type.")
    return names


def objects_in(thing, known):
    """Yield an object and all that it holds, each once."""
    if id(thing) in known or isinstance(thing, str):
        return
    known.add(id(thing))
    yield thing
    if isinstance(thing, np.ndarray):
        return
    inside = thing.values() if isinstance(thing, dict) else thing
    if not isinstance(thing, dict | list | tuple):
        inside = vars(thing).values() if hasattr(thing, "__dict__") else ()
    for each in inside:
        yield from objects_in(each, known)


def read_model_card(path: FilePath, *, max_bytes: int = _MAX_BYTES) -> ModelCard:
    """Read what a model file says of its model, and build nothing.

    Parameters
    ----------
    path : str or path
        File to read.
    max_bytes : int, default=2**30
        How much the file may hold once it is unpacked.

    Returns
    -------
    ModelCard
        Class, parameters, features, classes, versions and metadata.

    See Also
    --------
    load_model : Reads the model.
    """
    check_source(path)
    with errors_that_name(path), open(path, "rb") as stream:
        return _parse_card(read_members(stream, max_bytes, prefix=_CARD))


@contextmanager
def errors_that_name(path):
    """Make whatever is wrong with a file a ValueError that names it."""
    try:
        yield
    except Warning:  # that is an error by the choice of the user
        raise
    except UntrustedTypeError as error:
        raise UntrustedTypeError(f"{path}: {error}") from None
    except OSError as error:
        if error.filename is not None:  # no such file, or no permission
            raise
        raise ValueError(f"{path} is damaged: {error}.") from error
    except zipfile.BadZipFile as error:
        raise ValueError(
            f"{path} is damaged, or no model file: it is not the archive that save_model writes "
            f"({error})."
        ) from error
    except Exception as error:
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        raise ValueError(f"{path} is no model file that can be read: {kind}{error}") from error


# The card ---------------------------------------------------------------------------------------


def _check_metadata(metadata):
    metadata = {} if metadata is None else metadata
    if not isinstance(metadata, dict) or not all(isinstance(key, str) for key in metadata):
        raise TypeError(f"metadata={metadata!r} must be a dict with texts as keys, or None.")
    try:
        json.dumps(metadata)
    except (TypeError, ValueError) as error:
        raise TypeError(f"metadata must hold what JSON can say: {error}.") from error
    return metadata


def _card_of(model):
    from .. import __version__

    if not hasattr(model, "get_params") or isinstance(model, type):
        raise TypeError(f"model={model!r} must be an estimator.")
    names = getattr(model, "feature_names_in_", None)
    return ModelCard(
        class_name=type(model).__name__,
        parameters=json_plain(model.get_params()),
        feature_names=None if names is None else json_plain(list(names)),
        classes=json_plain(getattr(model, "classes_", None)),
        centroidal_version=__version__,
        sklearn_version=sklearn.__version__,
    )


def _parse_card(members):
    if _CARD not in members:
        raise ValueError(f"the member {_CARD!r} is missing; save_model writes it")
    content = parse_json(members[_CARD])
    kinds = {
        "class_name": str,
        "parameters": dict,
        "feature_names": list | None,
        "classes": list | None,
        "metadata": dict,
        "centroidal_version": str,
        "sklearn_version": str,
    }
    if not isinstance(content, dict) or not all(
        name in content and isinstance(content[name], kind) for name, kind in kinds.items()
    ):
        raise ValueError(f"{_CARD!r} is not the card of a model")
    return ModelCard(**{name: content[name] for name in kinds})


def _check_version(written):
    from .. import __version__

    if _release(written) > _release(__version__):
        raise ValueError(
            f"it was written by centroidal {written}, which is later than {__version__}; "
            "upgrade centroidal to load it"
        )


def _release(version):
    found = re.match(r"(\d{1,6})\.(\d{1,6})", version)
    if found is None:
        raise ValueError(f"{version!r} is not a version")
    return tuple(map(int, found.groups()))


# What a file cannot say ------------------------------------------------------------------------


def _plain_copy(model):
    """Copy a model so that a file can hold it.

    Of a search the best estimator is left; words of a vocabulary have plain numbers.
    """
    kind = type(model).__name__
    if kind in _SEARCHES:
        if not hasattr(model, "best_estimator_"):
            raise TypeError(f"model={kind} must be fitted; its best estimator is what is saved.")
        return _plain_copy(model.best_estimator_)
    if isinstance(model, Pipeline):
        model = copy(model)
        model.steps = [(name, _plain_copy(step)) for name, step in model.steps]
    elif kind == "FeatureUnion" and not isinstance(model, type):
        model = copy(model)
        model.transformer_list = [(n, _plain_copy(step)) for n, step in model.transformer_list]
    elif kind == "ColumnTransformer" and not isinstance(model, type):
        model = copy(model)
        for name in ("transformers", "transformers_"):
            if hasattr(model, name):
                rows = [(step, _plain_copy(part), at) for step, part, at in getattr(model, name)]
                setattr(model, name, rows)
    elif isinstance(getattr(model, "vocabulary_", None), dict):
        model = copy(model)
        vars(model).pop("_stop_words_id", None)  # where something was in memory
        model.vocabulary_ = {word: _plain_number(n) for word, n in model.vocabulary_.items()}
    return model


def _plain_number(value):
    return value.item() if isinstance(value, np.integer) else value


def _text_of(pair):
    return " ".join(map(str, pair))


def _pair_of(text):
    return tuple(map(int, text.split()))


def _with_keys(model, change):
    """Copy a model with other keys of classifiers of pairs, which are texts in a file."""
    if isinstance(model, Pipeline):
        model = copy(model)
        model.steps = [(name, _with_keys(step, change)) for name, step in model.steps]
    elif isinstance(model, DecisionDAGClassifier) and hasattr(model, "estimators_"):
        model = copy(model)
        model.estimators_ = {
            change(key): _with_keys(each, change) for key, each in model.estimators_.items()
        }
    return model
