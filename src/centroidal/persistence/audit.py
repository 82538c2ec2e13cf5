"""The audit of a model file: what it names must be trusted, and what it holds must fit together."""

import json
from io import BytesIO
from types import NoneType

from scipy.sparse import load_npz

from .._sparse import check_sparse_structure
from .archive import check_array, pack_archive, parse_json, read_members
from .trusted_types import ALLOWED, ESTIMATORS, KEY_TYPES

__all__ = ["Audit", "UntrustedTypeError"]

_SCHEMA = "schema.json"
_MAX_DEPTH = 60  # objects inside objects
_BY_NAME = ("ObjectNode", "TupleNode", "TypeNode", "FunctionNode")  # what a person may trust
_ADVICE = {  # by loader
    "FunctionNode": " as a function",
    "MethodNode": " as a method",
    "RandomGeneratorNode": "; random_state must be an int or None",
    "RandomStateNode": "; random_state must be an int or None",
}


class UntrustedTypeError(ValueError):
    """A model file names a type or function that is not on the list of those it may hold."""


class Audit:
    """Checks the schema of a file and makes a clean copy that holds what was checked, no more.

    Identities of objects, by which a file could let an object contain itself, are left out; those
    of arrays are given anew, so that an array which several attributes share is one array.

    Attributes
    ----------
    kinds : set of str
        The types and functions that the schema names, all of them allowed.
    """

    def __init__(self, members, max_bytes, trusted=()):
        self._members, self._trusted = members, frozenset(trusted)
        self._n_bytes_left = max_bytes
        self._arrays = {}
        self.kinds = set()

    def schema(self):
        """Return the clean copy of the schema."""
        state = parse_json(self._member(_SCHEMA))
        if not isinstance(state, dict):
            raise ValueError(f"{_SCHEMA} must hold an object")
        clean = self._node(state, 0)
        kind = _kind(clean)
        if kind not in ESTIMATORS and kind not in self._trusted:
            raise UntrustedTypeError(f"{kind} is no estimator that a model file may hold.")
        protocol = state.get("protocol")
        # Protocol 0 names functions elsewhere than it is audited here.
        if isinstance(protocol, bool) or not isinstance(protocol, int) or protocol < 1:
            raise ValueError(f"protocol={protocol!r} must be a whole number from 1 on")
        version = state.get("_skops_version")
        return {**clean, "protocol": protocol, "_skops_version": str(version)[:40]}

    def members_of(self, schema):
        """Return the members of a clean archive: the schema, and the arrays that it names."""
        members = {_SCHEMA: json.dumps(schema, separators=(",", ":")).encode()}
        return members | {name: content for _, name, content in self._arrays.values()}

    def _member(self, name):
        if not isinstance(name, str) or name not in self._members:
            raise ValueError(f"the member {name!r} is missing")
        return self._members[name]

    def _node(self, state, depth):
        if depth > _MAX_DEPTH:
            raise ValueError("its objects are nested too deeply")
        head = {key: state[key] for key in ("__class__", "__module__", "__loader__")}
        if not all(isinstance(value, str) for value in head.values()):
            raise ValueError("a type must be named by texts")
        loader, kind = head["__loader__"], _kind(head)
        if not self._is_allowed(loader, kind):
            advice = _ADVICE.get(loader, "")
            raise UntrustedTypeError(f"{kind} is not allowed in a model file{advice}.")
        self.kinds.add(kind)
        return head | getattr(self, f"_{loader}")(state, kind, depth + 1)

    def _is_allowed(self, loader, kind):
        if kind in ALLOWED.get(loader, ()):
            return True
        return loader in _BY_NAME and kind in self._trusted

    def _nodes(self, states, depth):
        if not isinstance(states, list):
            raise ValueError("a sequence must be a list")
        return [self._node(state, depth) for state in states]

    def _JsonNode(self, state, kind, depth):
        content = state["content"]
        if not isinstance(content, str) or isinstance(parse_json(content), list | dict):
            raise ValueError("a plain value must be a number, a text, true, false or null")
        return {"content": content, "is_json": True}

    def _ListNode(self, state, kind, depth):
        return {"content": self._nodes(state["content"], depth)}

    _TupleNode = _ListNode

    def _DictNode(self, state, kind, depth):
        content, key_types = state["content"], self._node(state["key_types"], depth)
        if not isinstance(content, dict) or key_types["__loader__"] != "ListNode":
            raise ValueError("a dict must have keys, and a list of their types")
        for key_type in key_types["content"]:
            if key_type["__loader__"] != "TypeNode" or _kind(key_type) not in KEY_TYPES:
                raise UntrustedTypeError(f"{_kind(key_type)} is not allowed as type of a key.")
        if len(key_types["content"]) != len(content):
            raise ValueError("a dict must have as many types of keys as keys")
        clean = {key: self._node(value, depth) for key, value in content.items()}
        return {"content": clean, "key_types": key_types}

    def _ObjectNode(self, state, kind, depth):
        if state.get("content") is None:
            return {}
        content = self._node(state["content"], depth)
        is_empty = content["__loader__"] == "JsonNode" and content["content"] == "null"
        if content["__loader__"] != "DictNode" and not is_empty:
            raise ValueError(f"the state of {kind} must be a dict")
        memory = {} if is_empty else content["content"].get("memory", {})
        if memory.get("content", "null") != "null":
            # A later fit would unpickle what somebody put there.
            raise UntrustedTypeError(f"{kind} with memory, a folder, is not allowed.")
        return {"content": content}

    def _TypeNode(self, state, kind, depth):
        return {}

    _FunctionNode = _TypeNode

    def _SliceNode(self, state, kind, depth):
        ends = state["content"]
        names = ("start", "stop", "step")
        if not isinstance(ends, dict) or not all(type(ends[n]) in (int, NoneType) for n in names):
            raise ValueError("a slice must have whole numbers, or null")
        return {"content": {name: ends[name] for name in names}}

    def _DTypeNode(self, state, kind, depth):
        content = self._node(state["content"], depth)
        if content["__loader__"] != "NdArrayNode":
            raise ValueError("a dtype must be that of an array")
        return {"content": content}

    def _NdArrayNode(self, state, kind, depth):
        if state["type"] == "numpy":
            return {"type": "numpy"} | self._array(state["file"], kind, ".npy", check_array)
        if state["type"] != "json" or kind != "numpy.ndarray":
            raise ValueError(f"an array of type {state['type']!r} is unknown")
        shape = self._node(state["shape"], depth)
        if shape["__loader__"] != "TupleNode" or _kind(shape) != "builtins.tuple":
            raise ValueError("the shape of an array must be a tuple")
        content = self._nodes(state["content"], depth)
        return {"type": "json", "content": content, "shape": shape}

    def _SparseMatrixNode(self, state, kind, depth):
        if state["type"] != "scipy":
            raise ValueError(f"a sparse matrix of type {state['type']!r} is unknown")
        return {"type": "scipy"} | self._array(state["file"], kind, ".npz", _check_sparse)

    def _array(self, name, kind, suffix, check):
        """Check a member once for each kind of array that it is to become, and rename it."""
        content = self._member(name)
        if (name, kind) not in self._arrays:
            content = check(content, kind, self._n_bytes_left)
            self._n_bytes_left -= len(content)
            if self._n_bytes_left < 0:
                raise ValueError("its arrays together are larger than max_bytes")
            number = len(self._arrays) + 1
            self._arrays[name, kind] = number, f"{number}{suffix}", content
        number, new_name, _ = self._arrays[name, kind]
        return {"file": new_name, "__id__": number}


def _kind(head):
    return f"{head['__module__']}.{head['__class__']}"


def _check_sparse(content, kind, max_bytes):
    """Return bytes that are a CSR or CSC matrix whose indices lie inside it, unpacked."""
    members = read_members(BytesIO(content), max_bytes)
    for member in members.values():
        check_array(member)
    content = pack_archive(members)
    matrix = load_npz(BytesIO(content))
    if f"{type(matrix).__module__}.{type(matrix).__name__}" != kind:
        raise ValueError(f"a sparse matrix is not the {kind} that it should be")
    check_sparse_structure(matrix)
    return content
