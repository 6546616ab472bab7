"""Operations on the site itself: its configuration and its webhook endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from chargebee_sandbox import settings, webhook_endpoint
from chargebee_sandbox.api import router
from chargebee_sandbox.api.errors import ApiError, not_found, wrong_value
from chargebee_sandbox.api.params import Params, require_value
from chargebee_sandbox.body import Body
from chargebee_sandbox.webhook_endpoint import CREDENTIALS, ENDPOINT_ID, WebhookEndpoint

_SWITCHES = ("primary_url", "disabled", "send_card_resource")
_CHANGEABLE = f"name api_version url enabled_events {' '.join((*_SWITCHES, *CREDENTIALS))}"


@router.get("configuration.list", "/configurations")
def list_configurations(params: Params) -> Body:
    """Return what the site tells about itself."""
    configuration = {
        "domain": settings.SANDBOX_SITE,
        "product_catalog_version": "v2",
        "chargebee_response_schema_type": "items",
        "object": "configuration",
    }
    return {"configurations": [configuration]}


@router.get("webhook_endpoint.list", "/webhook_endpoints", "limit offset")
def list_webhook_endpoints(params: Params) -> Body:
    """Return the endpoint, if there is one."""
    params.integer("limit", least=1, most=100)
    endpoint = webhook_endpoint.find_endpoint()
    return {"list": [] if endpoint is None else [_answer(endpoint)]}


@router.get("webhook_endpoint.retrieve", "/webhook_endpoints/{handle}")
def retrieve_webhook_endpoint(params: Params, handle: str) -> Body:
    """Return the endpoint."""
    return _answer(_find_endpoint(handle))


@router.post("webhook_endpoint.create", "/webhook_endpoints", _CHANGEABLE)
def create_webhook_endpoint(params: Params) -> Body:
    """Create the site's endpoint. Raises: ApiError 400 if there is one: this site has no more than one."""
    if webhook_endpoint.find_endpoint() is not None:
        raise ApiError(400, "resource_limit_exceeded", "This site has no room for another webhook endpoint")
    body = webhook_endpoint.default_body(
        name=params.required_text("name"), url=str(require_value(_read_url(params), "url"))
    )
    return _store_changes(params, body, {})


@router.post("webhook_endpoint.update", "/webhook_endpoints/{handle}", _CHANGEABLE)
def update_webhook_endpoint(params: Params, handle: str) -> Body:
    """Change the endpoint; an empty list of events enables all."""
    endpoint = _find_endpoint(handle)
    return _store_changes(
        params, endpoint.body, dict(zip(CREDENTIALS, (endpoint.username, endpoint.password), strict=True))
    )


@router.post("webhook_endpoint.delete", "/webhook_endpoints/{handle}/delete")
def delete_webhook_endpoint(params: Params, handle: str) -> Body:
    """Delete the endpoint."""
    endpoint = _find_endpoint(handle)
    webhook_endpoint.delete_endpoint()
    return _answer(endpoint)


def _find_endpoint(handle: str) -> WebhookEndpoint:
    endpoint = webhook_endpoint.find_endpoint()
    if endpoint is None or handle != ENDPOINT_ID:
        raise not_found("webhook_endpoint", handle)
    return endpoint


def _store_changes(params: Params, body: Body, credentials: Mapping[str, str]) -> Body:
    changed = {
        **body,
        **{name: value for name in ("name", "url") if (value := _read_text(params, name))},
        **{name: params.boolean(name) for name in _SWITCHES if name in params},
        "api_version": params.choice("api_version", ("v1", "v2"), body["api_version"]),
    }
    if "enabled_events" in params:
        changed["enabled_events"] = params.texts("enabled_events")
    if not changed.get("enabled_events"):
        changed.pop("enabled_events", None)
    sent = {name: params.text(name) or "" for name in CREDENTIALS if name in params}
    return _answer(webhook_endpoint.store_endpoint(changed, {**credentials, **sent}))


def _read_text(params: Params, name: str) -> str | None:
    return _read_url(params) if name == "url" else params.text(name, longest=50)


def _read_url(params: Params) -> str | None:
    url = params.text("url", longest=512)
    if url is not None and urlsplit(url).scheme not in ("http", "https"):
        raise wrong_value("url", "should be an http or https address")
    return url


def _answer(endpoint: WebhookEndpoint) -> Body:
    return {"webhook_endpoint": endpoint.body}
