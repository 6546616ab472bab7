import pytest
from django.test import Client


@pytest.mark.django_db
def test_it_answers_an_unknown_api_address_in_json():
    r = Client().get("/api/nothing")
    assert r.status_code == 404
    assert r.json()["code"] == "not_found"
