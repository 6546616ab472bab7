"""Health checks and metrics of the work that runs unattended, for operators."""
