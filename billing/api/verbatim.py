"""Answers that go out as they are: the provider's own words, or what was rendered before."""

from rest_framework.response import Response


class Verbatim(Response):
    """An answer whose keys are not put into camelCase."""

    verbatim = True
