"""Responses use camelCase keys; requests may use camelCase or snake_case."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import ParseError

from portal.api.case import camelize_keys, snakify_keys, to_camel, to_snake

# Field names are words of letters, may end in digits, and never have an underscore before a digit.
word = st.from_regex(r"[a-z]{2,8}[0-9]{0,2}", fullmatch=True)
name = st.lists(word, min_size=1, max_size=4).map("_".join)


@pytest.mark.parametrize(
    ("inside", "wire"),
    [
        ("next_billing_at", "nextBillingAt"),
        ("last4", "last4"),
        ("recommended_title_image1", "recommendedTitleImage1"),
        ("upcoming_image_text3", "upcomingImageText3"),
        ("sub_id", "subId"),
        ("id", "id"),
        ("paypal_email", "paypalEmail"),
        ("chargebee_js_url", "chargebeeJsUrl"),
    ],
)
def test_it_converts_a_key_in_both_directions(inside, wire):
    assert to_camel(inside) == wire
    assert to_snake(wire) == inside


@given(name)
def test_converting_a_name_back_returns_the_original(inside):
    assert to_snake(to_camel(inside)) == inside
    assert to_snake(inside) == inside


def test_it_converts_keys_in_nested_lists_and_objects():
    assert camelize_keys({"all_plans": [{"sub_id": 1}, ({"sub_id": 2},)]}) == {
        "allPlans": [{"subId": 1}, [{"subId": 2}]]
    }


def test_it_leaves_values_unchanged():
    assert snakify_keys({"service": "gospelTV", "ids": ["Minno-Plan"]}) == {
        "service": "gospelTV",
        "ids": ["Minno-Plan"],
    }


def test_it_refuses_a_key_given_twice():
    with pytest.raises(ParseError):
        snakify_keys({"planIds": [], "plan_ids": []})


@pytest.mark.shows("request-1")
@pytest.mark.parametrize("spelling", ["planIds", "plan_ids"])
def test_it_accepts_both_spellings_in_a_body(post_json, spelling):
    assert post_json("/api/test/echo", json.dumps({spelling: ["a"]})).json() == {
        "receivedBody": ["plan_ids"],
        "nextBillingAt": None,
        "last4": "4242",
    }


@pytest.mark.shows("request-1")
@pytest.mark.parametrize("spelling", ["planIds", "plan_ids"])
def test_it_accepts_both_spellings_in_a_query(visitor, spelling):
    answer = visitor.get(f"/api/test/echo?{spelling}=a&{spelling}=b&days=30").json()
    assert answer["receivedQuery"] == [["days", ["30"]], ["plan_ids", ["a", "b"]]]
