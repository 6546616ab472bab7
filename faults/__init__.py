"""Tests of a running portal whose servers, networks, disks or clients fail (`docs/reliability.md`)."""
