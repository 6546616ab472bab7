"""The churn events and the churn report in the admin."""
