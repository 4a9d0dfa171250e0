"""The envelope, and the shapes of everything that is said (docs/protocol.md 3 and 4)."""

import json
import logging

import msgspec
import pytest
from django.utils import translation
from django.utils.translation import gettext
from hypothesis import given
from hypothesis import strategies as st

from games import messages
from games.messages import Envelope, ErrorCode, InvalidMessage, Refusal, Vocabulary, decode

DEEP = "[" * 100_000


def test_a_message_has_a_type_and_a_payload():
    envelope, payload = decode('{"type": "kick", "id": "7", "payload": {"player_index": 2, "new": "key"}}')
    assert (envelope.type, envelope.id) == ("kick", "7")
    assert payload == messages.Kick(player_index=2)


def test_the_payload_may_be_missing_where_nothing_belongs_into_it():
    assert decode('{"type": "leave"}') == (Envelope("leave"), messages.Empty())


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "null",
        "7",
        "[]",
        '"ping"',
        "{}",
        "{'type': 'ping'}",
        '{"type": "ping"',
        '{"type": "ping"} {"type": "ping"}',
        '{"type": 7}',
        '{"type": ["ping"]}',
        '{"type": "PING"}',
        '{"type": "constructor"}',
        '{"type": "ping", "payload": null}',
        '{"type": "ping", "payload": []}',
        '{"type": "ping", "id": 7}',
        '{"type": "ping", "id": ""}',
        '{"type": "ping", "id": "\\u0000"}',
        '{"type": "ping", "id": "' + 65 * "x" + '"}',
        '{"type": "swap_players", "payload": {"player_index_1": 1}}',
        '{"type": "swap_players", "payload": {"player_index_1": 1, "player_index_2": true}}',
        '{"type": "swap_players", "payload": {"player_index_1": 1, "player_index_2": 2.0}}',
        '{"type": "swap_players", "payload": {"player_index_1": 1, "player_index_2": "2"}}',
        '{"type": "swap_players", "payload": {"player_index_1": 1, "player_index_2": -1}}',
        '{"type": "swap_players", "payload": {"player_index_1": 1, "player_index_2": NaN}}',
        '{"type": "swap_players", "payload": {"player_index_1": 1, "player_index_2": 1e400}}',
        '{"type": "swap_players", "payload": {"player_index_1": 1, "player_index_2": ' + 5000 * "9" + "}}",
        '{"type": "bomb", "payload": {"cards": "S2"}}',
        '{"type": "bomb", "payload": {"cards": {"0": [2, 1]}}}',
        '{"type": "bomb", "payload": {"cards": ' + 20 * "[" + 20 * "]" + "}}",
        '{"type": "response", "payload": {"action": "' + 41 * "x" + '"}}',
        '{"type": "response", "payload": {"action": "play", "response_data": []}}',
        '{"type": "response", "payload": {"action": "play", "request_id": 4}}',
        '{"type": "chat", "payload": {"text": "\\ud800 alone"}}',
        '{"type": "chat", "payload": {"text": 1}}',
        '{"type": "sync", "payload": {"since": -1}}',
        '{"type": "options", "payload": {"turn_limit_s": 9}}',
        '{"type": "options", "payload": {"turn_limit_s": 601}}',
        '{"type": "options", "payload": {"strengths": "RuleAgent"}}',
        '{"type": "ping", "payload": ' + DEEP,
        DEEP,
        "\ud800",
        "\ufeff{}",
        b'{"type": "chat", "payload": {"text": "\xff"}}',
        b"\x00\x01\x02",
    ],
    ids=range(45),
)
def test_whatever_has_not_the_declared_shape_is_refused(frame):
    with pytest.raises(InvalidMessage) as refused:
        decode(frame)
    assert refused.value.code is ErrorCode.INVALID_MESSAGE
    assert len(refused.value.context["message"]) <= 200
    Vocabulary().check(messages.error(refused.value, "text"))


@given(st.text() | st.binary())
def test_no_frame_is_anything_but_read_or_refused(frame):
    assert outcome(frame)


def outcome(frame):
    """What is read, or the error that is sent."""
    try:
        return decode(frame)
    except InvalidMessage as refused:
        return Vocabulary().encode(messages.error(refused, "text"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


@given(st.sampled_from(sorted(messages.CLIENT_MESSAGES)), json_values)
def test_no_payload_is_anything_but_read_or_refused(name, payload):
    assert outcome(json.dumps({"type": name, "payload": payload}))


@pytest.mark.parametrize(
    ("frame", "command_id"),
    [
        ('{"type": "unknown", "id": "a"}', "a"),
        ('{"id": "a"}', "a"),
        ('{"type": "bomb", "payload": {"cards": 1}, "id": "a"}', "a"),
        ('{"type": "bomb", "payload": {"cards": ' + 20 * "[" + 20 * "]" + '}, "id": "a"}', "a"),
        ('{"type": "ping", "payload": 1, "id": 5}', None),
        ('{"type": "ping", "id": "a"', None),
        ('["id"]', None),
    ],
)
def test_a_readable_id_is_known_even_where_the_rest_is_not(frame, command_id):
    """Protocol 3."""
    with pytest.raises(InvalidMessage) as refused:
        decode(frame)
    assert refused.value.command_id == command_id


# --- on the way out ---------------------------------------------------------------------------------------------------


def test_every_message_of_the_table_passes_its_shape():
    vocabulary = Vocabulary()
    assert vocabulary.encode(messages.PONG) == '{"type":"pong"}'
    assert vocabulary.encode(messages.ack("7", 3)) == '{"type":"ack","payload":{"id":"7","number":3}}'
    said = json.loads(vocabulary.encode(messages.notification("player_reconnected", {"player_index": 2}, 9)))
    assert said["payload"] == {"event": "player_reconnected", "context": {"player_index": 2}, "number": 9}
    assert "number" not in messages.notification("deadline", {"player_index": 2, "remaining_ms": 5})["payload"]


def test_a_refusal_names_its_rule_and_repeats_the_id():
    refusal = Refusal(ErrorCode.INVALID_WISH, wish_value=1)
    refusal.rule = "6.1"
    payload = messages.error(refusal, "Invalid wish.", "a")["payload"]
    context = {"wish_value": 1, "rule": "6.1"}
    assert payload == {"message": "Invalid wish.", "code": 306, "context": context, "id": "a"}


WRONG = [
    messages.notification("unheard_of", {}),
    messages.notification("player_left", {"player_index": 1, "player_name": "a"}),
    messages.notification("player_left", {"player_index": 1, "player_name": "a", "host_index": True}),
    messages.notification("player_reconnected", {"player_index": 1, "cards": []}),
    messages.notification("player_joined", {"player_index": 1}),
    messages.request("play", {}, "1"),
    messages.error(Refusal(ErrorCode.NAME_TAKEN, table_name="t"), "text"),
    messages.ack("", 1),
    {"type": "pong", "payload": {}},
    {"type": "unheard_of", "payload": {}},
    {"payload": {}},
]


@pytest.mark.parametrize("message", WRONG, ids=str)
def test_a_wrong_shape_is_never_sent_in_tests(message):
    with pytest.raises(msgspec.ValidationError):
        Vocabulary().encode(message)


def test_a_wrong_shape_is_logged_without_what_it_says_and_sent(monkeypatch, caplog):
    monkeypatch.setattr(messages, "strict", False)
    message = messages.notification("player_joined", {"session_id": "secret"})
    with caplog.at_level(logging.ERROR):
        assert json.loads(Vocabulary().encode(message)) == message
    assert "player_joined" in caplog.text
    assert "secret" not in caplog.text


# --- texts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ErrorCode, ids=lambda code: code.name)
def test_every_error_has_its_german_text(code):
    with translation.override("de"):
        assert gettext(code.message) != code.message
    with translation.override("en"):
        assert gettext(code.message) == code.message


def test_an_error_says_in_german_what_the_protocol_says():
    with translation.override("de"):
        assert gettext(ErrorCode.NOT_YOUR_TURN.message) == "Du bist nicht am Zug."
