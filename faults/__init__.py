"""What lies under the running portal and fails: servers, networks, disks, clients (`docs/reliability.md`)."""
