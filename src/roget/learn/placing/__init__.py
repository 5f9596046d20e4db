"""Place words in existing taxonomies."""
