"""What the settings name as back ends: cache, file storage, the embedded broker, publishing to Celery."""
