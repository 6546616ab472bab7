"""What a Python test says: the literals in it and in what it uses by name, of a class the methods it calls.

Of other files, only those made for tests are read: what a test takes from the product's own code, or what a fixture
does beforehand, it does not say.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Said:
    """The texts and numbers that a test holds, and the names it uses, those of methods among them."""

    texts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Module:
    """One file: what it defines, and where the names it imports come from."""

    root: Path
    definitions: dict[str, ast.stmt]
    imports: dict[str, tuple[Path, str]]

    def find(self, name: str) -> Iterator[tuple[Module, ast.stmt]]:
        """Give what a name stands for here, if it was made for tests."""
        if name in self.definitions:
            yield self, self.definitions[name]
        elif name in self.imports:
            file, original = self.imports[name]
            home = module(self.root, file)
            if original in home.definitions:
                yield home, home.definitions[original]


def _names_defined(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def _imports(root: Path, tree: ast.Module) -> Iterator[tuple[str, tuple[Path, str]]]:
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module:
            parts = statement.module.split(".")
            file = root.joinpath(*parts).with_suffix(".py")
            if file.is_file() and ("tests" in parts or parts[0] in ("e2e", "faults", "conftest")):
                for alias in statement.names:
                    yield alias.asname or alias.name, (file, alias.name)


@cache
def module(root: Path, file: Path) -> Module:
    """Read a file once."""
    tree = ast.parse(file.read_text())
    definitions = {name: statement for statement in tree.body for name in _names_defined(statement)}
    return Module(root, definitions, dict(_imports(root, tree)))


def _words_about_code(node: ast.AST) -> set[int]:
    """The docstrings, which show nothing, by their identity."""
    return {
        id(statement.value)
        for owner in ast.walk(node)
        if isinstance(owner, Function | ast.ClassDef)
        for statement in owner.body[:1]
        if isinstance(statement, ast.Expr)
    }


def _value(statement: ast.stmt, name: str) -> ast.expr | None:
    """What an assignment gives a name, one of several names too."""
    match statement:
        case ast.Assign(targets=[ast.Name()], value=value):
            return value
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            return next(
                (value for one, value in zip(names, values, strict=False) if ast.unparse(one) == name), None
            )
    return None


def _text(node: ast.expr, home: Module) -> str:
    """A text with the constants in it written out, and `{}` for what only the run knows."""
    match node:
        case ast.Constant(value=constant):
            return str(constant)
        case ast.JoinedStr(values=parts):
            return "".join(_text(part, home) for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _text(left, home) + _text(right, home)
        case ast.Name(id=name) | ast.FormattedValue(value=ast.Name(id=name)):
            for where, found in home.find(name):
                value = _value(found, name)
                if isinstance(value, ast.Constant | ast.JoinedStr):
                    return _text(value, where)
    return "{}"


def _read(home: Module, node: ast.AST, said: Said) -> set[str]:
    """Add what one definition says; return the names it uses."""
    left_out = _words_about_code(node)
    used: set[str] = set()
    for part in ast.walk(node):
        match part:
            case ast.Constant(value=str() | int() | float() as value) if id(part) not in left_out:
                said.texts.add(str(value))
            case ast.JoinedStr() | ast.BinOp(op=ast.Add()):
                said.texts.add(_text(part, home))
            case ast.Name(id=name) | ast.arg(arg=name):
                used.add(name)
            case ast.Attribute(attr=name):
                said.names.add(name)
    said.names |= used
    return used


def _test(home: Module, names: list[str]) -> ast.stmt | None:
    found = home.definitions.get(names[0])
    for name in names[1:]:
        body = found.body if isinstance(found, ast.ClassDef) else []
        found = next((one for one in body if isinstance(one, Function) and one.name == name), None)
    return found if isinstance(found, Function) and found.name.startswith("test_") and _runs(found) else None


def _runs(test: Function) -> bool:
    """Whether it is not skipped wherever it is."""
    marks = [ast.unparse(one.func if isinstance(one, ast.Call) else one) for one in test.decorator_list]
    return "pytest.mark.skip" not in marks


def said_by(root: Path, name: str) -> Said | None:
    """What `folder/test_file.py::test_name` says, or None where there is no such test."""
    path, *names = name.split("::")
    if not names or not (root / path).is_file():
        return None
    home = module(root, root / path)
    test = _test(home, names)
    if test is None:
        return None
    said, seen = Said(), set[int]()
    pending: list[tuple[Module, ast.stmt]] = [(home, test)]
    methods: list[tuple[Module, Function]] = []
    while pending:
        where, node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, ast.ClassDef):
            methods += [(where, one) for one in node.body if isinstance(one, Function)]
        else:
            pending += [found for one in _read(where, node, said) for found in where.find(one)]
        pending += [(place, one) for place, one in methods if one.name in said.names]
    return said
