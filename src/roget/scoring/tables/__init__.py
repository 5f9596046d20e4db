"""The gold × system table and what measures may see of it; weighted answers and baselines."""
