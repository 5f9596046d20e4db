"""Faults: killed processes, full disks, read-only folders, concurrent writers, lost workers."""
