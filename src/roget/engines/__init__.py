"""Where large work is done: on this machine, or on a Dask cluster."""
