"""Files of networks, and what the networks say."""

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from games.tichu.agents import weights as module
from games.tichu.agents.actions import ACTIONS, DESCRIPTORS, MASK_WORDS, PATTERNS, unpacked
from games.tichu.agents.hints import HINT_BITS, HINT_PIECES, TURNS_BITS, hints, own_turns
from games.tichu.agents.observations import BITS, PIECES, WORDS
from games.tichu.agents.weights import ARRAYS, Weights, fingerprint
from tests.games.tichu.agents.nets import random_weights
from tests.games.tichu.agents.uncompiled import uncompiled

INPUTS = BITS + TURNS_BITS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of weights."""
    path = tmp_path / "net.npz"
    random_weights().save(path)
    return path


def rewrite(path: Path, **changed: Any) -> None:
    """Changes arrays of a file; None takes them out."""
    with np.load(path) as file:
        arrays = {**file, **changed}
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_file_holds_all(path: Path) -> None:
    loaded, saved = Weights.load(path), random_weights()
    assert loaded.sheet == saved.sheet
    for name in ARRAYS:
        assert getattr(loaded, name).dtype == np.float32
        assert np.array_equal(getattr(loaded, name), getattr(saved, name))
    assert {"sheet", *ARRAYS} == {field.name for field in fields(Weights)}


def test_the_same_weights_are_the_same_bytes(path: Path, tmp_path: Path) -> None:
    Weights.load(path).save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_a_number_takes_two_bytes(path: Path) -> None:
    count = sum(getattr(random_weights(), name).size for name in ARRAYS)
    assert path.stat().st_size < 2 * count + 8000


def test_a_file_keeps_the_name_that_it_gets(tmp_path: Path) -> None:
    random_weights().save(str(tmp_path / "net.weights"))
    assert [file.name for file in tmp_path.iterdir()] == ["net.weights"]


def test_width_and_depth_have_a_short_name() -> None:
    assert random_weights(24, 3).net == "24x3"
    assert random_weights(8, 0).net == "8x0"


def test_numbers_beyond_16_bits_are_refused_and_leave_the_file_that_is_there(path: Path) -> None:
    before = path.read_bytes()
    weights = random_weights()
    weights.blocks[1, 2, 3] = 70_000
    with pytest.raises(ValueError, match=r"blocks has numbers beyond ±65504"):
        weights.save(path)
    assert [(file, file.read_bytes()) for file in path.parent.iterdir()] == [(path, before)]


def test_weights_for_other_ids_or_observations_are_refused_with_both_fingerprints(path: Path) -> None:
    rewrite(path, fingerprint=np.array("0" * 64))
    with pytest.raises(
        ValueError, match=f"{path.name} .*other action ids or obs.* {'0' * 64} instead of {fingerprint()}"
    ):
        Weights.load(path)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"format": None}, "'format' is missing"),
        ({"format": 2}, "the format is 2, not 1"),
        ({"fingerprint": None}, "'fingerprint' is missing"),
        ({"sheet": None}, "'sheet' is missing"),
        ({"sheet": "{"}, "Expecting property name"),
        ({"sheet": "[1]"}, r"the sheet is \[1\], no object of JSON"),
        ({"sheet": 5}, "must be str"),
        ({"gains": None}, "'gains' is missing"),
        ({"gains": np.ones((2, 16), np.float16)}, r"gains has the shape \(2, 16\), not \(3, 16\)"),
        ({"inputs": np.ones((BITS, 16), np.float16)}, rf"inputs has the shape .*, not \({INPUTS}, 16\)"),
        ({"inputs": np.ones((INPUTS, 0), np.float16)}, rf"inputs has the shape \({INPUTS}, 0\), not \({INPUTS}, 1\)"),
        ({"inputs": np.array(1, np.float16)}, r"inputs has the shape \(\), not"),
        ({"blocks": np.array(1, np.float16)}, "has the shape"),
        ({"outputs": np.ones((ACTIONS, 17), np.float16)}, rf"outputs has the shape .*, not \({ACTIONS}, 16\)"),
        ({"outputs_bias": np.ones(ACTIONS)}, "outputs_bias is float64, not float16"),
        ({"blocks_bias": np.full((2, 16), np.nan, np.float16)}, "blocks_bias has numbers that are not finite"),
        ({"inputs_bias": np.full(16, np.inf, np.float16)}, "inputs_bias has numbers that are not finite"),
        ({"inputs": np.array([{}])}, "allow_pickle=False"),
    ],
)
def test_what_does_not_fit_is_named(path: Path, changed: Mapping[str, Any], says: str) -> None:
    rewrite(path, **changed)
    with pytest.raises(ValueError, match=f"net.npz holds no weights that fit: .*{says}"):
        Weights.load(path)


def test_other_files_are_no_weights(tmp_path: Path) -> None:
    path = tmp_path / "other"
    np.save(tmp_path / "array.npy", np.ones(3))
    for content in (b"", b"no weights", b"PK\x03\x04", b"\x80\x04\x95N.", (tmp_path / "array.npy").read_bytes()):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="other holds no weights that fit"):
            Weights.load(path)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing\.npz"):
        Weights.load(tmp_path / "missing.npz")


def test_damage_is_found_or_changes_nothing(path: Path) -> None:
    whole, sound, rng = path.read_bytes(), Weights.load(path), Random(1)
    for trial in range(60):
        damaged = bytearray(whole)
        damaged[rng.choice([rng.randrange(len(whole)), rng.randrange(len(whole) - 2000, len(whole))])] ^= (
            1 << rng.randrange(8)
        )
        path.write_bytes(damaged[: rng.randrange(len(whole))] if trial % 3 == 0 else damaged)
        try:
            loaded = Weights.load(path)
        except ValueError:
            continue
        assert all(np.array_equal(getattr(loaded, name), getattr(sound, name)) for name in ARRAYS)


# --- the fingerprint --------------------------------------------------------------------------------------------------


def test_the_fingerprint_tells_what_ids_and_bits_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(name: str, value: object) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            return fingerprint.__wrapped__()

    descriptors = DESCRIPTORS.copy()
    descriptors[5, 3] ^= 1
    prints = {
        fingerprint(),
        changed("PATTERNS", PATTERNS[::-1]),
        changed("DESCRIPTORS", descriptors),
        changed("PIECES", PIECES[::-1]),
        changed("PIECES", (("asked", 9), *PIECES[1:])),
        changed("HINT_PIECES", HINT_PIECES[::-1]),
    }
    assert len(prints) == 6
    assert fingerprint.__wrapped__() == fingerprint()


def test_compiled_or_not_the_fingerprint_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    _, actions, observations, *_, hints = uncompiled(
        "games.tichu._core",
        "games.tichu.agents.actions",
        "games.tichu.agents.observations",
        "games.tichu.agents.outlook",
        "games.tichu.agents.hints",
    )
    monkeypatch.setattr(module, "PATTERNS", actions.PATTERNS)
    monkeypatch.setattr(module, "DESCRIPTORS", actions.DESCRIPTORS)
    monkeypatch.setattr(module, "PIECES", observations.PIECES)
    monkeypatch.setattr(module, "HINT_PIECES", hints.HINT_PIECES)
    assert fingerprint.__wrapped__() == fingerprint()


# --- the network ------------------------------------------------------------------------------------------------------


def slow_logits(weights: Weights, observation: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Of all ids, by the book, with double precision."""
    words, ids = observation[None], np.arange(ACTIONS)
    of = {name: getattr(weights, name).astype(np.float64) for name in ARRAYS}
    bits = [int(observation[i // 64]) >> i % 64 & 1 for i in range(BITS)]
    bits += [int(own_turns(words)[0, 0]) >> i & 1 for i in range(TURNS_BITS)]
    told = [[int(word) >> i & 1 for i in range(HINT_BITS)] for word in hints(words, 0 * ids, ids)[:, 0]]
    units = np.maximum(np.array(bits) @ of["inputs"] + of["inputs_bias"], 0)

    def norm(i: int) -> NDArray[np.float64]:
        normed = (units - np.mean(units)) / np.sqrt(np.var(units) + 1e-5)
        scaled: NDArray[np.float64] = normed * of["gains"][i] + of["shifts"][i]
        return scaled

    depth = len(of["blocks"])
    for i in range(depth):
        units = units + np.maximum(norm(i) @ of["blocks"][i] + of["blocks_bias"][i], 0)
    own = of["outputs"] @ norm(depth) + of["outputs_bias"]
    logits: NDArray[np.float64] = own + np.array(told) @ (of["hints"] @ norm(depth) + of["hints_bias"])
    return logits


def random_words(rng: np.random.Generator, words: int, share: float) -> NDArray[np.uint64]:
    return np.packbits(rng.random(64 * words) < share, bitorder="little").view(np.uint64)


@pytest.mark.parametrize(("width", "depth"), [(16, 0), (16, 2), (33, 1), (128, 2), (1024, 3)])
def test_the_network_says_what_its_formula_says(width: int, depth: int) -> None:
    weights, rng = random_weights(width, depth), np.random.default_rng(2)
    for share in (0.0, 0.05, 0.15):
        observation = random_words(rng, WORDS, share)
        legal = np.flatnonzero(unpacked(random_words(rng, MASK_WORDS, 0.05), ACTIONS))
        expected = slow_logits(weights, observation)[legal]
        logits = weights.logits(observation, legal)
        assert logits.dtype == np.float32
        assert np.allclose(logits, expected, rtol=1e-4, atol=1e-4)


def test_a_decision_leaves_the_weights_as_they_are() -> None:
    weights = random_weights()
    weights.logits(np.full(WORDS, 5, np.uint64), np.arange(10))
    assert all(np.array_equal(getattr(weights, name), getattr(random_weights(), name)) for name in ARRAYS)


def test_weights_must_fit_together() -> None:
    weights = random_weights()
    with pytest.raises(ValueError, match=r"shifts has the shape \(3, 15\), not \(3, 16\)"):
        replace(weights, shifts=weights.shifts[:, 1:])
