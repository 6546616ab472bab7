"""What all endpoints share: error responses, camelCase keys, headers and the OpenAPI schema."""
