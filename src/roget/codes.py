"""Explanations of the codes of errors and warnings, printed by `roget explain CODE`.

One entry per code, in alphabetical order: what it means, why it matters, what to do.
"""

from __future__ import annotations

from typing import NamedTuple


class Explanation(NamedTuple):
    """What a code means, why it matters and what to do."""

    meaning: str
    reason: str
    remedy: str


CODES: dict[str, Explanation] = {
    "all-singletons": Explanation(
        "Every item of a clustering is a cluster of its own.",
        "A column of item names read as labels looks like this.",
        "Name the column of items with --columns item=NAME, or omit the clustering.",
    ),
    "already-counted": Explanation(
        "An input holds counts already.",
        "Counting it again would treat its files as text.",
        "Read it with Counts.read, or pass it to `roget build`, which accepts counts.",
    ),
    "ambiguous-columns": Explanation(
        "It is not clear which column holds the items, labels, weights or groups.",
        "A wrong guess would silently score the wrong column.",
        "Name the columns, e.g. --columns item=id,label=cluster (--columns gold=a,system=b for one "
        "file with both sides).",
    ),
    "ambiguous-header": Explanation(
        "The first row may be a header or data.",
        "A header read as data is scored as one more item, and data read as a header are lost.",
        "Add a header with the names item and label, or pass --header or --no-header.",
    ),
    "bad-count": Explanation(
        "A count is negative, not finite or not a number.",
        "Counts are numbers of occurrences; every model needs them to be finite and not negative.",
        "Correct the value at the given place.",
    ),
    "bad-weight": Explanation(
        "A weight is negative, not finite, or not a number.",
        "Weights are multiplicities or probabilities and enter every score.",
        "Correct the value at the given place.",
    ),
    "below-baseline": Explanation(
        "For some measures a baseline scores at least as well as the system.",
        "One big cluster, one cluster per item or random clusters need no knowledge of the data.",
        "Look at measures that correct for chance (ami, ari) and at homogeneity and completeness.",
    ),
    "bias": Explanation(
        "The plug-in estimate and the bias-corrected estimate of a score differ noticeably.",
        "With few items per cell plug-in entropies are too low, which raises V and NMI.",
        "Report the corrected value (entropy jk), or AMI.",
    ),
    "broken-archive": Explanation(
        "A compressed or binary file is damaged or not of the format its name suggests.",
        "Nothing can be read from it reliably.",
        "Create the file again, or rename it if it has another format.",
    ),
    "broken-lines": Explanation(
        "Some lines do not have the expected form.",
        "Skipping them silently would change the result.",
        "Correct the lines listed in the message.",
    ),
    "changed": Explanation(
        "A file or folder was changed by another program during the work.",
        "Overwriting it would lose the other change.",
        "Run the command again.",
    ),
    "columns": Explanation(
        "The columns of a table were inferred from its header or name.",
        "Words and contexts would be exchanged if the inference is wrong.",
        "Name the columns, e.g. --columns word=noun,context=verb,count=n, or pass --transpose.",
    ),
    "conflicting-options": Explanation(
        "Two options exclude each other, or an option does not apply to this input.",
        "Ignoring one of them silently would give a result you did not request.",
        "Remove one of the options named in the message.",
    ),
    "cut-by-gold": Explanation(
        "A tree was cut where its score on the gold standard is best.",
        "Scores of such a cut are too high, since it was chosen by the labels it is scored on.",
        "Pass --cut K, or choose the cut on other data.",
    ),
    "damaged-folder": Explanation(
        "A thesaurus, counts or model folder is incomplete or its content is inconsistent.",
        "Loading checks every array, so that a damaged folder cannot give wrong results.",
        "Restore the folder from a backup, or build it again.",
    ),
    "default-contexts": Explanation(
        "Contexts were chosen by default.",
        "Different contexts give different counts and classes.",
        "Pass --relation or --window to choose them.",
    ),
    "disconnected-words": Explanation(
        "Some words share no context with the others, not even indirectly.",
        "They form clusters of their own at once, whatever their meaning.",
        "Raise min_count, or keep the largest connected part of the table.",
    ),
    "download-failed": Explanation(
        "A data set cannot be downloaded, or the download does not match its hash.",
        "A changed file could give different results.",
        "Check the connection, or put a copy into the folder named in the message.",
    ),
    "dropped-words": Explanation(
        "Some words were left out of the clustering.",
        "They are too rare, or no context links them to the other words.",
        "Raise --top, or add text.",
    ),
    "duplicate-input": Explanation(
        "An input file is already part of the thesaurus, or was passed twice.",
        "Its tokens would be counted twice.",
        "Leave the file out.",
    ),
    "duplicate-item": Explanation(
        "An item occurs more than once with different labels.",
        "Each item has one label, unless labels are weighted or clusters overlap.",
        "Remove one of the rows, or add a weight column, or pass --several cover for overlapping "
        "clusters.",
    ),
    "duplicate-name": Explanation(
        "A name occurs twice where names must be unique.",
        "Later results could not be assigned to one of them.",
        "Rename one of them.",
    ),
    "edit-refused": Explanation(
        "An edit does not apply to this thesaurus.",
        "The class or word it names is missing, or the edit would break the tree.",
        "Check the names with `roget export` or in the explorer.",
    ),
    "empty-field": Explanation(
        "A required field of a line is empty.",
        "An empty item, label or group cannot be distinguished from a missing one.",
        "Fill in the field, or remove the line.",
    ),
    "empty-input": Explanation(
        "The input holds no items, words or tokens.",
        "There is nothing to score or count.",
        "Check the path and the format of the input.",
    ),
    "empty-rows": Explanation(
        "Some rows or columns have no counts.",
        "Nothing can be learnt from them; they are placed after the others.",
        "Remove them, or ignore the note.",
    ),
    "error": Explanation(
        "An error without a more specific code.", "See the message.", "See the message."
    ),
    "examples": Explanation(
        "Example sentences are missing for some or all pairs.",
        "They are kept within a space limit, and only for running text written to a folder.",
        "Pass --set evidence_size=0 for no limit, or write a folder.",
    ),
    "extra-items": Explanation(
        "The system labels items that the gold standard does not contain.",
        "By default they are dropped and do not affect the score.",
        "Pass --extra count to count each as a class of its own.",
    ),
    "file-not-found": Explanation(
        "A file or folder does not exist.", "Nothing can be read.", "Check the path."
    ),
    "fractional-counts": Explanation(
        "Counts are not whole numbers.",
        "The formulas hold for fractions, but the search is slower.",
        "Round the counts if they are numbers of occurrences.",
    ),
    "function-words": Explanation(
        "Function words were left out of windows.",
        "They occur next to every word and say little about it.",
        "Pass --set function_words=true to count them.",
    ),
    "identical-inputs": Explanation(
        "Gold standard and system are the same input.",
        "Every clustering agrees perfectly with itself.",
        "Check the paths.",
    ),
    "identical-systems": Explanation(
        "Several systems or clusterings are the same except for the names of clusters.",
        "They share all scores, which suggests a submission listed twice.",
        "Remove all but one of them.",
    ),
    "incompatible-counts": Explanation(
        "Counts were made with other settings than those they are combined with.",
        "Sums of counts with different relations, readers or lemmas have no clear meaning.",
        "Count the text with the same settings, or pass the text itself.",
    ),
    "incomplete-counts": Explanation(
        "A thesaurus does not keep the counts of all words of its corpus.",
        "Totals are too small, and words may seem to be missing from the corpus.",
        "Compare the counts or texts that the thesaurus was built from instead.",
    ),
    "index-mismatch": Explanation(
        "Two columns have different indices and cannot be joined.",
        "Joining them by position would pair labels of different items.",
        "Align them first, or pass plain lists to join by position.",
    ),
    "inferred-format": Explanation(
        "The format of a file was inferred from its content.",
        "Another format would give other labels.",
        "Pass --labels to specify the format.",
    ),
    "input-is-output": Explanation(
        "An output would overwrite an input.",
        "The input would be lost if the command failed.",
        "Choose another output path.",
    ),
    "interrupted": Explanation(
        "A run was ended early, by Ctrl-C.",
        "The result is that of the work done so far.",
        "Run it again; with a checkpoint it resumes where it stopped.",
    ),
    "invalid-input": Explanation(
        "The input cannot be used.",
        "The message names the place and the value.",
        "See the message.",
    ),
    "invalid-option": Explanation(
        "An option has a value it cannot take.",
        "The message names the option, the value and the allowed values.",
        "Correct the value; `roget COMMAND --help` lists the options.",
    ),
    "invalid-relation": Explanation(
        "A relation is neither a known name nor a valid pattern.",
        "Nothing would be counted for it.",
        "Use a name that `roget list relations` shows, or a pattern such as VERB/obj/NOUN.",
    ),
    "item-weights": Explanation(
        "Items are weighted by the weights of the gold standard.",
        "Every item has one label, so its weight is the weight of the item.",
        "Remove the weight column to count all items the same.",
    ),
    "keep-case": Explanation(
        "Lemmas keep their capitals.",
        "In German, capitals distinguish nouns from other words.",
        "Pass --set keep_case=false to lower-case them.",
    ),
    "label-language": Explanation(
        "A SKOS file has labels in several languages, or none in the requested one.",
        "Labels of different languages would be mixed in one thesaurus.",
        "Choose a language with --language.",
    ),
    "language": Explanation(
        "The language of the text was not recognised, or there is no tagger for it.",
        "Lemmas, parts of speech and function words depend on the language.",
        "Pass --language, or parse the text first (CoNLL-U, spaCy).",
    ),
    "lemma-repair": Explanation(
        "Some lemmas of nouns were corrected.",
        "The text contradicts them, e.g. the lemma datum where only data occurs.",
        "Pass --set repair=false to count lemmas unchanged.",
    ),
    "length-mismatch": Explanation(
        "Two inputs that belong together have different lengths.",
        "They are joined by position, so they must have the same length.",
        "Pass inputs of the same length, or mappings from item to label.",
    ),
    "missing-column": Explanation(
        "A requested column does not exist.",
        "The message lists the columns of the file.",
        "Correct the name in --columns.",
    ),
    "missing-extra": Explanation(
        "An optional dependency is not installed.",
        "roget installs only what scoring needs; other features are extras.",
        "Run the pip command of the message.",
    ),
    "missing-items": Explanation(
        "The system has no label for some items of the gold standard.",
        "By default they form one extra cluster, so that leaving items out does not help.",
        "Choose with --missing: cluster, singletons, drop or error.",
    ),
    "missing-label": Explanation(
        "An item of the gold standard has no label.",
        "Every gold item needs a class.",
        "Add the label, or remove the item.",
    ),
    "missing-option": Explanation(
        "A required argument or option was not given.",
        "The command cannot start without it.",
        "See `roget COMMAND --help`.",
    ),
    "mixed-inputs": Explanation(
        "The inputs are of different kinds.",
        "One count needs one reader.",
        "Count them separately and merge the counts, or pass --reader.",
    ),
    "mixed-labels": Explanation(
        "Some systems have one label per item, others several.",
        "Single labels are compared with weighted ones as labels of weight 1.",
        "No action is needed if this is intended; --set answers=top compares single labels only.",
    ),
    "nearest-cut": Explanation(
        "A tree has no cut into the requested number of clusters.",
        "Nodes with more than two children skip some numbers of clusters, and leaves limit them.",
        "No action is needed; the message names the cut that was scored.",
    ),
    "needs-flat-labels": Explanation(
        "A tree was passed where flat labels are required.",
        "A gold standard has one class per item.",
        "Pass the labels of one cut of the tree.",
    ),
    "needs-groups": Explanation(
        "Intervals or tests of this input require groups to resample.",
        "Weighted, unmatched or pooled items cannot be resampled one by one.",
        "Add a group column, e.g. of documents, or omit --ci.",
    ),
    "needs-tree": Explanation(
        "An option for trees was passed, but the system is not a tree.",
        "Cuts are defined for hierarchical clusterings only.",
        "Omit the option, or pass a tree, e.g. a linkage or Newick file.",
    ),
    "needs-whole-weights": Explanation(
        "A measure needs whole-number weights.",
        "Pair counts and corrected entropies are defined for whole numbers of items only.",
        "Use other measures, or round the weights.",
    ),
    "newer-version": Explanation(
        "A folder was written by a newer version of roget.",
        "Its content may have a form this version does not know.",
        "Update roget.",
    ),
    "no-common-contexts": Explanation(
        "The new words and the thesaurus have no context in common.",
        "Words are placed by their contexts, which are matched by name.",
        "Count the new text with the same relations as the thesaurus (`--relation`).",
    ),
    "no-common-items": Explanation(
        "Gold standard and system have no item in common.",
        "Without common items there is no contingency table.",
        "Check that both files use the same item names.",
    ),
    "noise-label": Explanation(
        "A label such as -1 probably marks noise, but is scored as an ordinary cluster.",
        "One big cluster of unrelated items lowers homogeneity and changes every score.",
        "Pass --noise -1 with --missing singletons or drop.",
    ),
    "not-a-tree": Explanation(
        "The hierarchy has a cycle, several roots or an item below another item.",
        "Cuts and levels are defined for trees only.",
        "Correct the parent named in the message.",
    ),
    "not-converged": Explanation(
        "A search ended before it reached what was requested.",
        "For example, fewer clusters than requested, because the words are too similar.",
        "Request less, allow more iterations, or add counts.",
    ),
    "not-fitted": Explanation(
        "An estimator was used before `fit`.", "It has learnt nothing yet.", "Call `fit` first."
    ),
    "not-parsed": Explanation(
        "The text lacks the parse that is needed.",
        "Relations connect words with their syntactic heads.",
        "Parse the text first (CoNLL-U, spaCy), pass --tagger, or count neighbours with --window.",
    ),
    "not-text": Explanation(
        "A file is not text in the expected encoding.",
        "Guessing the encoding would corrupt names.",
        "Save the file as UTF-8, or decompress it.",
    ),
    "not-writable": Explanation(
        "An output cannot be written.",
        "The folder is missing, the disk is full or permission is denied.",
        "Choose another path, or correct the cause given in the message.",
    ),
    "nothing-clustered": Explanation(
        "Nearly every word is a class of its own, or all words are in one class.",
        "The counts are too many or too few for the criterion to group the words.",
        "Request a number of classes (--clusters), cut the tree, or change the criterion.",
    ),
    "nothing-saved": Explanation(
        "Some or all splits do not shorten the description of the counts.",
        "By this criterion the clusters are not justified by the data.",
        "Add counts, or choose another criterion.",
    ),
    "odd-words": Explanation(
        "Words tagged as nouns that are not nouns were left out.",
        "Pronouns, units of measure and single letters distort classes of nouns.",
        "Pass --set odd_words=true to count them.",
    ),
    "read-once": Explanation(
        "Standard input can be read only once.",
        "Some corrections need a first pass over the text.",
        "Save the input to a file.",
    ),
    "repeated-rows": Explanation(
        "Rows or mentions repeat earlier ones.",
        "They are dropped, so that no item counts twice.",
        "Remove the repetitions to avoid the notice.",
    ),
    "replayed-edits": Explanation(
        "Edits of the replaced thesaurus were applied to the new one.",
        "Classes may have changed, so an edit may apply to another class or to none.",
        "Check the edits named in the message.",
    ),
    "resumed": Explanation(
        "Some files were counted by an earlier run that was interrupted.",
        "Their counts were used again.",
        "Nothing; delete the .partial folder to count everything again.",
    ),
    "scheduler-lost": Explanation(
        "The connection to the Dask scheduler or its workers was lost.",
        "Work on the cluster cannot finish.",
        "Check the cluster and run the command again; counting resumes from its checkpoint.",
    ),
    "segmentation": Explanation(
        "Text in a script without spaces was divided into words.",
        "The words depend on the method.",
        "Choose it with --segment.",
    ),
    "shared-clusters": Explanation(
        "Dropped items share clusters with scored items.",
        "Without the dropped items clusters look purer than they are.",
        "Pass --extra count or --extra sample.",
    ),
    "signature-mismatch": Explanation(
        "Results with different signatures cannot be combined.",
        "Scores computed by different rules are not comparable.",
        "Score all systems with the same options and the same items.",
    ),
    "sparse-table": Explanation(
        "The contingency table has few items per non-empty cell.",
        "Plug-in entropies, and with them V, VI and NMI, are unreliable then.",
        "Report bias-corrected values (entropy jk) or AMI.",
    ),
    "suspicious-column": Explanation(
        "Every item is a class or group of its own.",
        "A column of ids was probably read as labels or groups.",
        "Choose the columns with --columns.",
    ),
    "tagger": Explanation(
        "Plain text was tagged because its language was recognised.",
        "Tags give lemmas and relations, which are better contexts than windows.",
        "Pass --reader text to count windows without a tagger.",
    ),
    "terms": Explanation(
        "Adjacent words were counted as one.",
        "Their meaning differs from that of their parts.",
        "Pass --no-terms to count them separately.",
    ),
    "too-large": Explanation(
        "An input exceeds a size limit.",
        "Limits protect against files that expand to more than memory can hold.",
        "Raise the limit with --max-size if you trust the file.",
    ),
    "too-little-text": Explanation(
        "The text is too small for what was requested.",
        "Words with few occurrences cannot be classified reliably.",
        "Add text, lower --min-count, or request fewer classes.",
    ),
    "undefined": Explanation(
        "A quantity is undefined for this input.",
        "For example, a ratio whose denominator is 0. The reason is given with the value.",
        "Choose a measure that is defined for this input.",
    ),
    "undefined-groups": Explanation(
        "A score is undefined in some groups, which are excluded from its average.",
        "The average covers fewer groups than those of other measures.",
        "Use --average pooled, or a measure that is defined for every group.",
    ),
    "undefined-samples": Explanation(
        "A score is undefined in some bootstrap or jackknife samples.",
        "The samples are excluded from its interval and tests.",
        "No action is needed if they are few; otherwise use more items, or another measure.",
    ),
    "unknown-name": Explanation(
        "A name is not in the catalogue.",
        "The message suggests the closest names.",
        "`roget list` shows all names.",
    ),
    "unknown-word": Explanation(
        "A word or class is not in the thesaurus.",
        "It was not counted, or it is below the minimum count.",
        "Check the spelling; words are lemmas (`mouse`, not `mice`).",
    ),
    "unsupported-format": Explanation(
        "The format of a file is not supported.",
        "The format is inferred from the file name.",
        "Use one of the formats in the message, or name the format explicitly.",
    ),
    "untested": Explanation(
        "Systems were not tested against each other.",
        "With several gold standards the test needs groups to resample.",
        "Add a group column, or compare on each gold standard separately.",
    ),
    "unused-groups": Explanation(
        "Only one side has groups.",
        "Groups are used only if the gold standard has them.",
        "Add the group column to the gold standard.",
    ),
    "unused-noise-label": Explanation(
        "No item has the label passed as --noise.",
        "The option has no effect, which suggests a different spelling.",
        "Check the labels of the system file.",
    ),
    "unused-weights": Explanation(
        "Weights of a file are not used.",
        "Items are weighted by the gold standard only, and members of a cover belong to it fully.",
        "Move the weights to the gold standard, or remove them.",
    ),
    "whole-tree": Explanation(
        "A measure was computed for the whole tree rather than for the cut.",
        "Some measures are defined for hierarchies.",
        "Pass --set cuts=K for its value at a cut.",
    ),
    "words-capped": Explanation(
        "Only the most frequent words were used for learning; the others were placed afterwards.",
        "The run time grows with the number of words.",
        "Raise it with --set max_words=N.",
    ),
    "words-left-out": Explanation(
        "Some words were left out because there is too little evidence to place them.",
        "Placing them would be little better than chance.",
        "Add text in which these words occur more often.",
    ),
    "words-set-aside": Explanation(
        "Rare words that fit no class well were left out of the thesaurus.",
        "Their few contexts do not determine a class.",
        "Pass --set set_aside=false to keep them.",
    ),
    "worker-died": Explanation(
        "A worker process died while it ran a task.",
        "It was killed, usually because memory ran out.",
        "Use fewer processes, or give each worker more memory.",
    ),
}
