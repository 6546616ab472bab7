"""What `make` runs: setting up, the processes of the demo, the checks and the tests. Standard library only."""
