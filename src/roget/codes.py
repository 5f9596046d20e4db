"""Explanations of the codes of errors and warnings, printed by `roget explain CODE`.

Every code has one entry, in alphabetical order: its meaning, why it matters, and what to do.
"""

from __future__ import annotations

from typing import NamedTuple


class Explanation(NamedTuple):
    """The explanation of one code."""

    meaning: str
    """The situation that the code reports."""
    reason: str
    """The cause of the situation, or the reason why it matters."""
    remedy: str
    """The actions that the user can take."""


CODES: dict[str, Explanation] = {
    "all-singletons": Explanation(
        "In one of the clusterings, every cluster contains a single item.",
        "This happens if a column of item names is read as labels. Such a clustering contains no "
        "information.",
        "Name the column of items with --columns item=NAME, or omit the clustering.",
    ),
    "already-counted": Explanation(
        "An input of `roget count` is a counts file or folder, not text.",
        "Counts cannot be counted again. Their files would be read as if they were text.",
        "Pass the counts to `roget build`, or load the counts in Python with Counts.read.",
    ),
    "ambiguous-columns": Explanation(
        "roget cannot determine which column holds the items, labels, weights or groups.",
        "A wrong guess would score the wrong column without an error.",
        "Name the columns, e.g. --columns item=id,label=cluster, or --columns gold=a,system=b "
        "for one file with both labels.",
    ),
    "ambiguous-header": Explanation(
        "The first row could be a header or data.",
        "A header that is read as data adds an item to the score. Data that are read as a header "
        "are lost.",
        "Pass --header or --no-header, or add a header with the names item and label.",
    ),
    "bad-count": Explanation(
        "A count is negative, infinite or not a number.",
        "A count is a number of occurrences. Models and scores are not defined for other values.",
        "Correct the value at the location in the message.",
    ),
    "bad-weight": Explanation(
        "A weight is negative, infinite, not a number, or 0 where it must be positive.",
        "Weights are numbers of identical items or probabilities of labels. Every score depends "
        "on them.",
        "Correct the value at the location in the message.",
    ),
    "below-baseline": Explanation(
        "For some measures, the system does not score better than a baseline; in a comparison, no "
        "system beats the best baseline on the main score.",
        "The baselines (one big cluster, one cluster per item, random clusters) do not look at "
        "the data, so a useful system should beat them.",
        "Check measures that are corrected for chance (ami, ari), and homogeneity and "
        "completeness, which show whether there are too many or too few clusters.",
    ),
    "bias": Explanation(
        "The uncorrected (plug-in) score and the bias-corrected score differ noticeably.",
        "With few items per cell of the contingency table, plug-in entropies are too low, which"
        " inflates measures such as V and NMI.",
        "Report the corrected score (entropy jk) or AMI.",
    ),
    "biased-scores": Explanation(
        "With this number of items or groups, the estimated bias of some scores is larger than "
        "their standard error.",
        "Plug-in entropies, B-cubed, one-to-one and other matching scores are too high in small "
        "samples, especially for systems that are unrelated to the classes. Intervals are "
        "corrected for the bias, but the interval of a matching score may still be too high.",
        "Report bias-corrected entropies (jk) or scores corrected for chance (AMI, ARI), and "
        "compare the score with the random baseline.",
    ),
    "broken-archive": Explanation(
        "A compressed or binary file is damaged, or its format does not match its suffix.",
        "The content cannot be read reliably.",
        "Create the file again, or rename it if it has another format.",
    ),
    "broken-lines": Explanation(
        "Some lines of a file do not have the expected form.",
        "Skipping broken lines silently would change the result.",
        "Correct the lines listed in the message.",
    ),
    "changed": Explanation(
        "Another program changed a file or folder while roget was using it.",
        "Continuing would overwrite the other change or mix old and new data.",
        "Run the command again, or reload the page.",
    ),
    "columns": Explanation(
        "The columns for words, contexts and counts were inferred from the header or the file "
        "name.",
        "If the inference is wrong, contexts are clustered instead of words.",
        "Check the columns in the message. To set them, pass e.g. --columns "
        "word=noun,context=verb,count=n, or --transpose to exchange words and contexts.",
    ),
    "conflicting-options": Explanation(
        "Two options exclude each other, or an option does not apply to this input.",
        "If one of the options were ignored, the result would not be what you requested.",
        "Remove one of the options named in the message.",
    ),
    "copies": Explanation(
        "Some plain text files are copies of other files.",
        "Counting a text twice doubles its counts without adding evidence.",
        "No action is needed. To count all files, pass --duplicates keep.",
    ),
    "cut-by-gold": Explanation(
        "The system is a tree, and it was cut at the level where it scores best against the "
        "gold standard.",
        "The cut was chosen with the labels that are used to score it, so its scores are too high.",
        "Choose the number of clusters with --set cut=K, e.g. from other data.",
    ),
    "damaged-folder": Explanation(
        "A folder with a thesaurus, counts or a model is incomplete or inconsistent.",
        "roget checks every array when it loads a folder, because damaged data would give wrong"
        " results.",
        "Restore the folder from a backup, or build it again.",
    ),
    "default-contexts": Explanation(
        "No contexts were specified, so the default was used.",
        "Words are clustered by their contexts, so other contexts lead to other counts and "
        "classes.",
        "No action is needed. To choose contexts, pass --relation (syntactic relations) or "
        "--window (neighbouring words).",
    ),
    "different-length": Explanation(
        "A document has more or fewer words in the response than in the key.",
        "Mentions are compared by the positions of their words, so those after the first "
        "difference cannot match.",
        "Run the system on the words of the key.",
    ),
    "disconnected-words": Explanation(
        "Some words share no context with the other words, not even indirectly through further "
        "words.",
        "Disconnected words are split off first, whatever their meaning, and take up clusters.",
        "Raise min_count, or cluster only the largest connected part of the table.",
    ),
    "download-failed": Explanation(
        "A data set could not be downloaded, or the downloaded file does not match the expected"
        " hash.",
        "A different file could give different results.",
        "Check the connection, or put a copy of the file into the folder named in the message.",
    ),
    "dropped-totals": Explanation(
        "A contingency matrix has totals in its last row or column.",
        "Totals are not counted. They are rows or columns with a name such as Total or All. If "
        "there are no names, they are the sums of the other rows and columns.",
        "No action is needed. If they are data, rename them, or pass the cells with --cells.",
    ),
    "dropped-words": Explanation(
        "Some words were not clustered.",
        "Words are dropped if they are less frequent than the words selected by --top, or if no"
        " context links them to the other words.",
        "Raise --top, or add text.",
    ),
    "duplicate-input": Explanation(
        "A file is already part of the thesaurus, or two of the files are the same.",
        "The words of the file would be counted twice.",
        "Leave out the file.",
    ),
    "duplicate-item": Explanation(
        "An item occurs more than once.",
        "Each item must have one label, unless labels are weighted or clusters overlap.",
        "Remove the extra rows. If items belong to several clusters, add a weight column or "
        "pass --set several=cover.",
    ),
    "duplicate-name": Explanation(
        "A name occurs twice where names must be unique.",
        "A reference to the name would be ambiguous.",
        "Rename or remove one of them.",
    ),
    "edit-refused": Explanation(
        "An edit cannot be applied to this thesaurus.",
        "A word or class named in the edit does not exist, or the result would not be a valid "
        "tree.",
        "Look up the current words and classes with `roget export` or `roget explore`, and "
        "correct the edit.",
    ),
    "empty-field": Explanation(
        "A required field of a line is empty.",
        "An empty item, label or group cannot be distinguished from a missing one.",
        "Fill in the field, or remove the line.",
    ),
    "empty-input": Explanation(
        "The input contains no items, words or tokens.",
        "There is nothing to score or to count.",
        "Check the path and the format of the input.",
    ),
    "empty-rows": Explanation(
        "Some rows or columns of the table have only zeros.",
        "Nothing can be learnt about empty rows and columns, so their clusters have no meaning.",
        "Remove the empty rows and columns, or ignore this note.",
    ),
    "error": Explanation(
        "An error without a more specific code.",
        "The message describes the cause.",
        "Follow the message.",
    ),
    "examples": Explanation(
        "Example sentences were not kept, or only for some of the word–context pairs.",
        "Sentences are available only if the input is running text and the output is a folder, "
        "and their total size is limited.",
        "To keep more, write the counts to a folder, and pass --set evidence_size=0 to remove "
        "the size limit.",
    ),
    "extra-documents": Explanation(
        "The response contains documents that are not in the key.",
        "They are not scored, because the key has no mentions to compare with.",
        "Check that both files use the same document names.",
    ),
    "extra-items": Explanation(
        "The system labels items that the gold standard does not contain.",
        "The gold standard has no label to compare with. By default extra items are dropped and"
        " do not affect the score. In coreference, extra items are spurious mentions, which lower"
        " precision.",
        "Check that both files describe the same items. To penalise extra items, pass --extra "
        "count, which makes each of them a separate class.",
    ),
    "few-groups": Explanation(
        "There are too few groups for reliable intervals.",
        "In simulations with 4 or more groups, 95 % intervals contain the true score in 95 % of "
        "cases. With fewer groups, they contain it less often.",
        "Use at least 4 groups.",
    ),
    "few-items": Explanation(
        "There are too few items for reliable intervals and tests.",
        "In simulations with 20 or more items, intervals and tests reach their nominal level.",
        "Use at least 20 items.",
    ),
    "few-tasks": Explanation(
        "Ranks have no intervals, because there are fewer than six tasks.",
        "Even a system that is better on each of five tasks may be better by chance (p = .06), "
        "so no test can find a significant difference.",
        "Add tasks. If the scores have standard errors or repeats, pass these. The ranks then "
        "refer to exactly these tasks.",
    ),
    "file-not-found": Explanation(
        "A file or folder does not exist.",
        "The command cannot read its input.",
        "Check the path for spelling mistakes.",
    ),
    "fractional-counts": Explanation(
        "Some counts are not whole numbers.",
        "Code lengths and random splits of tokens are only defined for whole numbers of "
        "occurrences.",
        "Round the counts if they represent occurrences. To fit a ClassModel to fractional "
        "counts, pass separate development data (dev).",
    ),
    "function-words": Explanation(
        "Function words such as “the” and “of” were not counted as neighbours.",
        "Function words occur next to almost every word, so they do not help to distinguish words.",
        "No action is needed. Pass --set function_words=true to count function words.",
    ),
    "identical-inputs": Explanation(
        "The gold standard and the system are the same input.",
        "A clustering always agrees perfectly with itself, so the score is not informative.",
        "Check the two paths.",
    ),
    "identical-systems": Explanation(
        "Several systems are the same clustering, possibly with different cluster names.",
        "All scores of the systems are equal, so one submission may be listed twice.",
        "Remove all but one of the identical systems.",
    ),
    "ignored-columns": Explanation(
        "Some columns of a score table were not used.",
        "Columns without numbers are not tasks. A column of averages or ranks would count every "
        "task twice.",
        "No action is needed. To use other columns, list them with --tasks.",
    ),
    "implied-pairs": Explanation(
        "Matching pairs imply other pairs: if a matches b and b matches c, a matches c.",
        "Clusters are the connected components, so one wrong pair can join two large entities.",
        "Cluster the pairs with a method of your choice and score the clusters, or list all pairs.",
    ),
    "incompatible-counts": Explanation(
        "Counts were made with different settings from the counts they are added to or compared"
        " with.",
        "Counts of different relations, readers or lemmas do not measure the same thing, so "
        "differences may be caused by the settings.",
        "Count both texts with the same settings, or pass the texts instead of the counts.",
    ),
    "incomplete-counts": Explanation(
        "The thesaurus does not store the counts of all words of its corpus.",
        "Total counts are therefore too small, and some words seem to be missing from the corpus.",
        "Use the counts or texts from which the thesaurus was built.",
    ),
    "index-mismatch": Explanation(
        "The rows of two inputs cannot be matched: their indices or groups differ, or only one "
        "of them has item ids.",
        "Joining the inputs by position would compare labels of different items.",
        "Give both inputs the same ids or index. To join by position, pass plain lists in the "
        "same order.",
    ),
    "inferred-format": Explanation(
        "The format of a file was inferred from its content.",
        "If the inference is wrong, the labels are wrong too.",
        "Check the format in the message. To set it, pass --labels.",
    ),
    "inferred-items": Explanation(
        "The first column of a table was inferred to contain item ids.",
        "All its values are different, and each of the other columns is a clustering.",
        "No action is needed. To choose the columns, pass --columns item=NAME,label=NAME+NAME.",
    ),
    "input-is-output": Explanation(
        "The output path is also an input.",
        "The input would be overwritten, and lost if the command failed.",
        "Choose another output path.",
    ),
    "interrupted": Explanation(
        "The run was stopped by Ctrl-C before it was complete.",
        "The result contains only the work done so far.",
        "Run the command again. If it writes checkpoints, it resumes where it stopped.",
    ),
    "invalid-input": Explanation(
        "The input cannot be used.",
        "The message contains the location and the invalid value.",
        "Correct the value.",
    ),
    "invalid-option": Explanation(
        "An option has an invalid value.",
        "The message names the option, the value and the allowed values.",
        "Correct the value. `roget COMMAND --help` describes all options.",
    ),
    "invalid-relation": Explanation(
        "A relation is neither a known name nor a valid pattern.",
        "Nothing would be counted for an invalid relation.",
        "Use a name listed by `roget list relations`, or a pattern such as VERB/obj/NOUN.",
    ),
    "item-weights": Explanation(
        "The weights in the gold standard are used as weights of items.",
        "Each item has one label, so its weight determines how much the item counts in the score.",
        "No action is needed. To count all items equally, remove the weight column.",
    ),
    "keep-case": Explanation(
        "Lemmas keep their capital letters.",
        "In German, capitals distinguish nouns from other words.",
        "No action is needed. Pass --set keep_case=false to convert lemmas to lower case.",
    ),
    "label-language": Explanation(
        "A SKOS file has labels in several languages, or none in the requested language.",
        "A thesaurus should not mix languages.",
        "Choose a language with --language, e.g. --language en.",
    ),
    "language": Explanation(
        "The language of the text was not recognised, or roget has no tagger for it.",
        "Lemmas, parts of speech and function words depend on the language.",
        "Pass --language, or parse the text with another tool first (CoNLL-U or spaCy).",
    ),
    "lemma-repair": Explanation(
        "Lemmas of some nouns were corrected.",
        "The parser assigned a lemma that the text contradicts, e.g. “datum” in a text that "
        "always uses “data”.",
        "Check the corrections in the message. Pass --set repair=false to keep the original "
        "lemmas.",
    ),
    "length-mismatch": Explanation(
        "Two inputs that belong together have different lengths.",
        "Inputs without item ids are joined by position, so they must have the same number of "
        "values.",
        "Pass inputs of the same length, or mappings from item to label.",
    ),
    "match-threshold": Explanation(
        "Pairs with a match probability of at least .5 were read as matches.",
        "The clusters, and therefore all scores, depend on the threshold.",
        "To use another threshold, pass a file with only the matching pairs, or with a column of 0 "
        "and 1.",
    ),
    "missing-column": Explanation(
        "A requested column does not exist.",
        "The message lists the columns of the file.",
        "Correct the name in --columns.",
    ),
    "missing-extra": Explanation(
        "An optional dependency is not installed.",
        "The basic installation contains only the packages needed for scoring.",
        "Run the pip command in the message.",
    ),
    "missing-documents": Explanation(
        "The key contains documents that are not in the response.",
        "All mentions of these documents count as missed, which lowers recall.",
        "Check that the response is complete and uses the same document names.",
    ),
    "missing-items": Explanation(
        "The system has no label for some items of the gold standard.",
        "By default missing items form one extra cluster, because a system should not gain by "
        "omitting difficult items. In coreference, missing items are missed mentions, which lower "
        "recall.",
        "Check the system file, or choose another rule with --missing: singletons, unmatched, "
        "drop or error.",
    ),
    "missing-label": Explanation(
        "Some items of the gold standard, or rows of a table, have no label.",
        "Items without a gold label cannot be scored.",
        "Add the labels, or remove the items.",
    ),
    "missing-option": Explanation(
        "A required argument or option is missing.",
        "The command cannot start without the argument.",
        "See `roget COMMAND --help`.",
    ),
    "missing-scores": Explanation(
        "A system has no score on a task, or a score has no standard error.",
        "Means over different tasks are not comparable: a system could gain by omitting "
        "difficult tasks.",
        "Add the score, or choose a rule with --missing: drop-task, drop-system or worst.",
    ),
    "mixed-inputs": Explanation(
        "The inputs are of different kinds, e.g. text and existing counts.",
        "All inputs of one run are read by the same reader.",
        "Count each kind separately, or pass --reader to read all inputs in the same way.",
    ),
    "mixed-labels": Explanation(
        "Some systems have one label per item and others have several.",
        "A single label is treated as a label with weight 1. Systems that divide items among "
        "labels by weight may have different scores even if their best labels are the same.",
        "To compare only the best label of every item, pass --set answers=top.",
    ),
    "mixed-scales": Explanation(
        "The scores on one task vary much more than on the other tasks.",
        "This task dominates the mean score, and therefore the ranks.",
        "Rank by the mean rank (--by rank), or put all scores on the same scale.",
    ),
    "names": Explanation(
        "Names and acronyms were not counted as words.",
        "By default, words are common nouns. The tagger recognises words such as EU and DVD as"
        " proper nouns.",
        "Pass --relation nouns --relation names to count them too.",
    ),
    "nearest-cut": Explanation(
        "The tree cannot be cut into the requested number of clusters.",
        "A node with more than two children adds several clusters at once, and there cannot be "
        "more clusters than leaves.",
        "No action is needed. The message names the cuts that were scored.",
    ),
    "needs-flat-labels": Explanation(
        "The gold standard is a tree.",
        "A gold standard must assign one class to each item.",
        "Pass flat labels, e.g. one cut of the tree.",
    ),
    "needs-groups": Explanation(
        "Confidence intervals or tests for this input require groups, e.g. documents.",
        "Items with several labels, unmatched items and pooled items cannot be resampled one by "
        "one. Whole groups must be resampled instead. `score` and `compare` report the scores "
        "without intervals.",
        "Add a group column, or omit --ci.",
    ),
    "needs-tree": Explanation(
        "An option for trees was passed, but the system is not a tree.",
        "Only a hierarchical clustering can be cut into different numbers of clusters.",
        "Omit the option, or pass a tree, e.g. a linkage matrix or a Newick file.",
    ),
    "needs-whole-weights": Explanation(
        "Fractional counts cannot be split into random parts.",
        "The split assigns each occurrence to one part, so counts must be whole numbers.",
        "Round the counts if they represent occurrences.",
    ),
    "newer-version": Explanation(
        "A folder was written by a newer version of roget.",
        "The installed version cannot read the newer format.",
        "Update roget.",
    ),
    "no-background": Explanation(
        "The text is clustered without background counts.",
        "The bundled background contains the text itself, so the counts of the text would be "
        "added twice.",
        "No action is needed. To use other background counts, pass them as --background.",
    ),
    "no-common-contexts": Explanation(
        "The new words and the thesaurus, or the two corpora, have no context in common.",
        "Words are compared by their contexts, and contexts are matched by name.",
        "Count both texts in the same way, e.g. with the same --relation.",
    ),
    "no-common-items": Explanation(
        "The gold standard and the system have no item in common.",
        "Scores compare the labels of items that occur in both.",
        "Check that both files use the same item names.",
    ),
    "no-labels": Explanation(
        "No item of the file has a label.",
        "The label column may be empty, or the file may have another format. All items count as "
        "missing, so the scores are not informative.",
        "Check the file, or specify its format with --labels (--from for `roget convert`).",
    ),
    "no-spread": Explanation(
        "A score has no interval, because it does not change when a single item or group is left "
        "out.",
        "This happens for perfect systems and for one big cluster. The data do not show how much "
        "the score would vary for other data.",
        "No action is needed. To obtain an interval, use more items or groups, or more difficult "
        "ones.",
    ),
    "noise-label": Explanation(
        "A label such as -1 probably marks noise, but it is scored as an ordinary cluster.",
        "A big cluster of unrelated items lowers homogeneity and changes every score.",
        "If the label marks noise, pass --noise -1 (each noise item becomes a separate cluster) or "
        "--noise -1 --missing drop (noise items are not scored).",
    ),
    "not-a-tree": Explanation(
        "A hierarchy is not a valid tree: it has a cycle, several roots, or a malformed merge "
        "or parent.",
        "Cuts and levels are defined for trees only.",
        "Correct the error at the location in the message.",
    ),
    "not-converged": Explanation(
        "A search ended before it reached the requested result.",
        "For example, the search found fewer clusters than requested, because some words are "
        "too similar.",
        "Request fewer clusters, allow more iterations, or add text.",
    ),
    "not-fitted": Explanation(
        "An estimator was used before `fit` was called.",
        "The estimator has not been fitted yet.",
        "Call `fit` first.",
    ),
    "not-parsed": Explanation(
        "The text has no parse or no tags.",
        "Syntactic relations connect a word with its head, which only a parser or tagger can find.",
        "Parse the text first (CoNLL-U or spaCy), pass --tagger, or count neighbouring words "
        "with --window.",
    ),
    "not-text": Explanation(
        "A file is not text in the expected encoding.",
        "Guessing the encoding could corrupt names.",
        "Save the file as UTF-8. If it is an archive, decompress it.",
    ),
    "not-writable": Explanation(
        "An output cannot be written.",
        "For example, the folder does not exist, the disk is full, permission is denied, or the"
        " folder holds other data.",
        "Choose another path, or remove the cause named in the message.",
    ),
    "nothing-clustered": Explanation(
        "The clustering is trivial: all words are in one class, or nearly every class"
        " contains a single word.",
        "With very few counts, no difference between words is significant. With very many "
        "counts, every difference is.",
        "Request a number of classes with --clusters, cut the tree, or choose another criterion.",
    ),
    "nothing-saved": Explanation(
        "Some or all splits do not reduce the description length of the counts.",
        "By the minimum description length principle, the data do not justify such splits.",
        "Add text, or choose another criterion.",
    ),
    "odd-words": Explanation(
        "Some words tagged as nouns were excluded.",
        "Pronouns, units of measure and single letters distort classes of nouns.",
        "No action is needed. Pass --set odd_words=true to keep these words.",
    ),
    "read-once": Explanation(
        "The input is standard input, which can be read only once.",
        "Function words, terms and wrong lemmas are detected in a first pass over the text, "
        "which was skipped.",
        "Save the input to a file, and pass the file.",
    ),
    "repeated-rows": Explanation(
        "Some rows repeat earlier rows.",
        "Repeated rows are dropped, and the weights of a repeated label are added, so that no "
        "item counts twice.",
        "No action is needed. To avoid this warning, remove the repetitions.",
    ),
    "repeated-scores": Explanation(
        "A table has several scores of the same system on the same task.",
        "They are averaged as repeated measurements. Two different systems with the same name "
        "would be merged.",
        "No action is needed if the rows are repeats, such as runs with different seeds. "
        "Otherwise, give the systems different names.",
    ),
    "replayed-edits": Explanation(
        "Edits of the previous thesaurus were applied to the new thesaurus.",
        "The classes may have changed, so an edit may affect another class, or may no longer be"
        " possible.",
        "Check the edits named in the message.",
    ),
    "resumed": Explanation(
        "Some files were counted by an earlier run that was interrupted.",
        "The counts of these files were reused, which saves time.",
        "No action is needed. To count everything again, delete the .partial folder.",
    ),
    "scheduler-lost": Explanation(
        "The connection to the Dask scheduler or its workers was lost.",
        "The work on the cluster cannot be completed.",
        "Check the cluster and run the command again. Counting resumes from its checkpoint.",
    ),
    "segmentation": Explanation(
        "The text is in a script without spaces, such as Chinese or Japanese.",
        "The words depend on how the text is segmented. Without a segmenter, each character is a "
        "word.",
        "Choose a segmenter with --segment.",
    ),
    "shared-clusters": Explanation(
        "Items that were dropped share clusters with scored items.",
        "Without the dropped items, their clusters look purer than they are, so precision may "
        "be too high.",
        "Pass --extra count to count extra items, or --extra sample if the gold standard is a "
        "sample of classes.",
    ),
    "signature-mismatch": Explanation(
        "Results with different signatures cannot be combined. A signature lists the settings "
        "of a score.",
        "Scores computed with different settings are not comparable.",
        "Score all systems with the same options on the same items.",
    ),
    "skipped-files": Explanation(
        "Some files in a folder of systems were skipped.",
        "Files such as README.md contain documentation or programs instead of labels.",
        "No action is needed. To compare such a file, pass it as NAME=FILE.",
    ),
    "sparse-table": Explanation(
        "The contingency table has few items per non-empty cell.",
        "Plug-in (uncorrected) entropies of such a table are unreliable, and so are V, VI and NMI.",
        "Report bias-corrected scores (entropy jk) or AMI.",
    ),
    "suspicious-column": Explanation(
        "Every class or group contains a single item.",
        "A column of ids was probably read as labels or groups.",
        "Choose the columns with --columns.",
    ),
    "tagger": Explanation(
        "The language of the plain text was recognised, so a tagger was applied.",
        "A tagger provides lemmas and syntactic relations, which are better contexts than "
        "neighbouring words.",
        "No action is needed. Pass --reader text to count neighbouring words without a tagger.",
    ),
    "terms": Explanation(
        "Some adjacent words were counted as one term, e.g. prime_minister.",
        "The meaning of a term often differs from the meaning of its parts.",
        "No action is needed. Pass --no-terms to count the words separately.",
    ),
    "too-few-groups": Explanation(
        "There are too few groups for any difference between systems to be significant.",
        "With G groups, the permutation test cannot give p below 2/2^G, so at least 6 groups are "
        "needed for p < .05. Holm's correction multiplies p by the number of pairs, so more "
        "groups are needed for more systems: 8 groups for 4 systems, and 11 groups for 10 "
        "systems. If no difference can be significant, there are no significance letters, rank "
        "intervals or tiers.",
        "Use more groups, or compare fewer systems. The scores and their intervals are not "
        "affected.",
    ),
    "too-few-items": Explanation(
        "There are too few items for any difference between systems to be significant.",
        "With n items, the permutation test cannot give p below 2/2^n, so at least 6 items are "
        "needed for p < .05, and more for several pairs of systems (Holm's correction).",
        "Use more items, or compare fewer systems.",
    ),
    "too-large": Explanation(
        "An input or a table exceeds a size limit.",
        "The limits prevent two problems: running out of memory, e.g. because a small archive "
        "expands to a huge file, and loss of precision.",
        "For an input file that you trust, raise the limit with --max-size. Otherwise, use a "
        "smaller input.",
    ),
    "too-little-text": Explanation(
        "The text is too small for the request.",
        "Words with few occurrences cannot be classified reliably.",
        "Add text, lower --min-count, or request fewer classes.",
    ),
    "undefined": Explanation(
        "A quantity is undefined for this input.",
        "For example, a ratio with denominator 0 is undefined. The message gives the reason.",
        "Choose a measure that is defined for this input.",
    ),
    "undefined-groups": Explanation(
        "A score is undefined in some groups, which are excluded from its average.",
        "The average covers fewer groups than the averages of the other measures.",
        "Use --average pooled, or a measure that is defined in every group.",
    ),
    "undefined-samples": Explanation(
        "A score is undefined in some bootstrap or jackknife samples.",
        "Samples with an undefined score are excluded from the confidence interval and the tests.",
        "No action is needed if there are few such samples. Otherwise, use more items or another "
        "measure.",
    ),
    "unknown-name": Explanation(
        "A name is not in roget's catalogue of measures, readers, clusterers etc.",
        "The message suggests similar names.",
        "Correct the name. `roget list` shows all names.",
    ),
    "unknown-word": Explanation(
        "A word or class is not in the thesaurus.",
        "The word does not occur in the text, or is rarer than the minimum count.",
        "Check the spelling. Words are lemmas (`mouse`, not `mice`).",
    ),
    "unstable-classes": Explanation(
        "The classes of a thesaurus change if a tenth of the text is left out.",
        "Most words have too few occurrences to be classified reliably. Many classes are therefore "
        "due to chance.",
        "Add text or background counts (--background), raise --min-count, or request fewer classes "
        "(--clusters).",
    ),
    "unsupported-format": Explanation(
        "The format of a file or object is not supported.",
        "The format is usually inferred from the file name, which may be misleading.",
        "Use one of the formats in the message, or name the format explicitly.",
    ),
    "untested": Explanation(
        "The systems were not tested for significant differences.",
        "With several gold standards, the test resamples groups, and the input has no groups.",
        "Add a group column, or compare the systems on each gold standard separately.",
    ),
    "unused-groups": Explanation(
        "The system has groups, but the gold standard does not.",
        "Groups are used only if the gold standard has them, so all items were scored as one "
        "group.",
        "Add the group column to the gold standard.",
    ),
    "unused-number": Explanation(
        "The number of samples was passed, but the intervals do not depend on it.",
        "Jackknife intervals leave out every item or group once, or 200 blocks of items. The "
        "number is used by tests of differences in a comparison, and by bootstrap intervals.",
        "No action is needed. Any number above 0 requests intervals. For bootstrap intervals, "
        "pass --set interval=bca.",
    ),
    "unused-noise-label": Explanation(
        "No item has the label passed as --noise.",
        "The option has no effect. The label may be spelled differently in the file.",
        "Check the labels of the system file.",
    ),
    "unused-weights": Explanation(
        "The weights of a file are not used.",
        "Only the weights of the gold standard are used. In overlapping clusters, every "
        "membership is full.",
        "Move the weights to the gold standard, or remove them.",
    ),
    "variants": Explanation(
        "Words with several spellings or lemmas were united.",
        "The background was written and tagged by others, so a difference such as centre and "
        "center is not a change of use.",
        "No action is needed. To keep the words separate, compare counts instead of the "
        "background.",
    ),
    "whole-tree": Explanation(
        "A measure was computed for the whole tree, not for the cut that is used for the other "
        "measures.",
        "The measure is defined for hierarchies.",
        "No action is needed. Pass --set cuts=K to compute the measure for the cut.",
    ),
    "words-capped": Explanation(
        "Only the most frequent words were used to learn the classes. The other words were "
        "assigned to classes afterwards.",
        "The run time grows quickly with the number of words.",
        "No action is needed. To learn from more words, pass --set max_words=N.",
    ),
    "words-left-out": Explanation(
        "Some new words were not added, because there is too little evidence to choose a class.",
        "With so few known contexts, the chosen class would be little better than chance.",
        "Add text in which the words occur more often.",
    ),
    "words-set-aside": Explanation(
        "Rare words that do not clearly fit any class were left out of the thesaurus.",
        "The few contexts of a rare word often do not determine a class.",
        "No action is needed. Pass --set set_aside=false to keep the words.",
    ),
    "worker-died": Explanation(
        "A worker process ended unexpectedly while it ran a task.",
        "The usual cause is that memory ran out and the operating system killed the process.",
        "Use fewer processes, or give each worker more memory.",
    ),
}
