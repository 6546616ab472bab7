"""Responses whose body is sent as it is: the provider's data, or a stored response."""

from rest_framework.response import Response


class VerbatimResponse(Response):
    """A response whose keys are not converted to camelCase."""

    verbatim = True
