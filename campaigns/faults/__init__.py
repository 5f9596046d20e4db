"""Faults: processes killed at any moment, full disks, closed folders, two writers, lost workers."""
