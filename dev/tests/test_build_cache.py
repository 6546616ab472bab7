"""A build step runs once, and again if its input has changed."""

import pytest

from dev.setup.build_cache import Stamp, digest_files


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "a.txt").write_text("one")
    return folder


def test_a_step_that_has_never_run_is_due(tmp_path):
    assert not Stamp(tmp_path / "deep" / "stamp", "x").is_current


def test_a_step_that_has_run_is_not_due(tmp_path):
    Stamp(tmp_path / "deep" / "stamp", "x").mark_done()
    assert Stamp(tmp_path / "deep" / "stamp", "x").is_current
    assert not Stamp(tmp_path / "deep" / "stamp", "y").is_current


def test_the_same_input_has_the_same_digest(source):
    assert digest_files([source], "words") == digest_files([source], "words")


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "a.txt").write_text("two"),
        lambda folder: (folder / "b.txt").write_text(""),
        lambda folder: (folder / "a.txt").rename(folder / "c.txt"),
        lambda folder: (folder / "a.txt").unlink(),
    ],
    ids=["content", "addition", "name", "removal"],
)
def test_every_change_gives_another_digest(source, change):
    before = digest_files([source])
    change(source)
    assert digest_files([source]) != before


def test_extra_strings_change_the_digest(source):
    assert digest_files([source], "node 20") != digest_files([source], "node 22")


def test_compiled_python_files_are_ignored(source):
    before = digest_files([source])
    (source / "__pycache__").mkdir()
    (source / "__pycache__" / "a.pyc").write_bytes(b"x")
    assert digest_files([source]) == before
