"""Where big counting runs: on this machine, or on a Dask cluster."""
