"""What classes are worth: held-out text, decisions between verbs, the trial of a build."""
