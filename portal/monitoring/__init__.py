"""What others watch: health, metrics, logs and error reports."""
