"""Charts are well-formed documents of their own, with nothing in them that a strict policy forbids."""

import re
from base64 import b64encode
from hashlib import sha256
from random import Random
from xml.etree import ElementTree

import pytest

from arena import charts
from arena.charts import NARROW, WIDE
from arena.jobs import Job
from arena.reporting import panels
from arena.statistics import Interval, interval_of
from arena.tally import Ratio, Tally, Timing
from tests.arena.examples import check_examples
from tests.arena.made_up import made_up, made_up_timing

RNG = Random(1)
BATCHES = [made_up(RNG, 40) for _ in range(70)]
TALLY = sum(BATCHES[1:], BATCHES[0])


def agents(first="rule", second="random"):
    job = Job(teams=(first, second), unit="rounds", pairs=10, batch_pairs=10, seed=1)
    return panels(job, TALLY, made_up_timing(2800))


ALL = {
    "narrowing": lambda size: charts.narrowing(charts.narrowed(batch.points for batch in BATCHES), size),
    "results": lambda size: charts.results(TALLY.results, ("rule", "random"), size),
    "calls": lambda size: charts.calls(agents(), size),
    "behaviour": lambda size: charts.behaviour(agents(), size),
}
EMPTY = {
    "narrowing": charts.narrowing([], WIDE),
    "results": charts.results({}, ("rule", "random"), WIDE),
    "calls": charts.calls(
        panels(Job(teams=("rule", "rule"), unit="rounds", pairs=1, batch_pairs=1, seed=1), Tally(), Timing()), WIDE
    ),
}


def texts(svg):
    return [element.text for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text")]


def test_the_examples_are_right():
    check_examples(charts)


@pytest.mark.parametrize("size", [WIDE, NARROW])
@pytest.mark.parametrize("name", ALL)
def test_a_chart_has_one_style_that_the_policy_names_and_no_script(name, size):
    root = ElementTree.fromstring(ALL[name](size))
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    (style,) = (element for element in root.iter() if element.tag.endswith("style"))
    assert f"'sha256-{b64encode(sha256(style.text.encode()).digest()).decode()}'" in charts.POLICY
    assert not {"script", "foreignObject", "image", "a"} & set(tags)
    assert not [key for element in root.iter() for key in element.attrib if re.match("style|on|.*href", key)]


@pytest.mark.parametrize("size", [WIDE, NARROW])
@pytest.mark.parametrize("name", ALL)
def test_a_chart_has_the_size_that_was_asked_for(name, size):
    root = ElementTree.fromstring(ALL[name](size))
    assert (int(root.get("width")), int(root.get("height"))) == size


@pytest.mark.parametrize("name", EMPTY)
def test_a_chart_of_nothing_is_a_document_as_well(name):
    assert ElementTree.fromstring(EMPTY[name]).tag.endswith("svg")


def test_the_interval_narrows_to_that_of_the_whole_run():
    points = charts.narrowed(batch.points for batch in BATCHES)
    assert points[-1] == charts.Point(TALLY.rounds, interval_of(TALLY.points))
    assert len(points) == 35
    assert [point.rounds for point in points] == sorted(point.rounds for point in points)


def y_labels(points):
    root = ElementTree.fromstring(charts.narrowing(points, WIDE))
    (axis,) = (part for part in root.iter() if "axis y" in part.get("class", ""))
    return [part.text for part in axis.iter() if part.tag.endswith("text")]


@pytest.mark.parametrize(("mean", "half"), [(0, 0), (0.3, 0.1), (-0.4, 0.7), (12.3, 0.2), (-60, 3), (200, 150)])
def test_no_label_of_the_scale_is_repeated(mean, half):
    labels = y_labels([charts.Point(1000, Interval(mean, mean - half, mean + half))])
    assert len(set(labels)) == len(labels) >= 3


def test_the_scale_is_that_of_the_band_and_not_of_the_first_rounds():
    """A run of 20,000 rounds ends within some points; its first ones know nothing."""
    points = [charts.Point(n, Interval(80, 80 - 3000 / n**0.5, 80 + 3000 / n**0.5)) for n in range(100, 20_001, 100)]
    numbers = [float(label) for label in y_labels(points)]
    assert min(numbers) >= 0
    assert max(numbers) <= 160


def test_a_single_pair_has_no_interval_yet_and_no_point():
    ratio = Ratio()
    ratio.add(100, 2)
    assert charts.narrowed([ratio]) == []


def test_every_round_is_in_a_bin():
    assert sum(charts.binned(TALLY.results).values()) == TALLY.rounds


def test_the_last_interval_is_written_at_the_line():
    assert charts.plus_minus(interval_of(TALLY.points)) in texts(ALL["narrowing"](WIDE))


def test_the_calls_are_written_at_the_bars():
    """People: brettspielwelt.md 7."""
    written = texts(ALL["calls"](WIDE))
    assert "25.0%, 64% made" not in written
    assert f"{agents()[0].tichu.per_seat:.1%}, {agents()[0].tichu.made:.0%} made" in written
    assert "13.9%, 73% made" in written
    assert written.count("none") == 2


def test_unlike_partners_are_told_apart():
    svg = charts.behaviour(agents(first="rule+random"), WIDE).decode()
    assert "color-1 first" in svg
    assert "color-2 first pale" in svg
    assert "color-3 second" in svg


def test_what_was_never_played_has_no_mean():
    assert charts.plus_minus(interval_of(Ratio())) == "–"
    assert charts.plus_minus(Interval(1, float("-inf"), float("inf"))) == "+1.0 ± ∞"
