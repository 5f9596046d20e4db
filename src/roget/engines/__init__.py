"""Engines that run large jobs on this machine or on a Dask cluster."""
