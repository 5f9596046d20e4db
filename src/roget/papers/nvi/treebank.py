"""Constituents from a treebank of bracketed trees or of CoNLL-U dependencies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

from roget.core.io.problems import Problems
from roget.core.io.source import Source, source_of
from roget.learn.corpus.base import NONE, ReadContext, Tables, Tokens
from roget.learn.corpus.conllu import read

_PIECE = re.compile(r"[()]|[^\s()]+")

DROPPED = ("-NONE-", "-LRB-", "-RRB-", "PUNCT", "PU")
"""Tags that are dropped: traces, brackets and punctuation.

Tags without a letter are also dropped.
"""

TOPS = ("", "ROOT", "TOP", "S1", "VROOT")
"""Labels of the extra root nodes that some treebanks add above a sentence."""

PHRASE = "XP"
"""Placeholder that replaces the label of a daughter that is a constituent.

It differs from all tags: X, for example, is a tag of Universal Dependencies.
"""


class TreebankNode(NamedTuple):
    """A word with its tag as label, or a constituent with its children."""

    label: str
    children: tuple[TreebankNode, ...] = ()
    place: int = 0
    """Position of a word in the sentence, which may differ from its order in the tree."""

    @property
    def words(self) -> list[TreebankNode]:
        """The words below the node, in sentence order."""
        if not self.children:
            return [self]
        below = [word for child in self.children for word in child.words]
        return sorted(below, key=attrgetter("place"))


class Constituent(NamedTuple):
    """A constituent of two or more words: its gold label, and features that do not use labels."""

    label: str
    rule: tuple[str, ...]
    """The daughters: the tag of each word, and XP for each constituent."""
    left: str
    """Tag of the word before the constituent, or "" at the beginning of a sentence."""
    right: str
    """Tag of the word after the constituent, or "" at the end of a sentence."""
    first: str
    """Tag of the first word of the constituent."""
    last: str
    """Tag of the last word of the constituent."""
    parent: int = -1
    """Index of the parent in the list of constituents, or −1. Daughters are in sentence order."""


def read_trees(path: str) -> Iterator[TreebankNode]:
    """Yield the trees of a file: CoNLL-U (.conllu, .conll), or else bracketed trees."""
    source = source_of(path)
    return read_heads(source) if source.suffix in (".conllu", ".conll") else read_brackets(source)


def read_brackets(source: Source) -> Iterator[TreebankNode]:
    """Yield trees such as `(S (NP (DT the) (NN dog)) (VP (VBZ barks)))`, which may span lines.

    Traces, punctuation and function tags (SBJ in NP-SBJ) are dropped. If several constituents cover
    the same words, only the highest is kept.
    """
    problems = Problems(source.name)
    open_nodes: list[tuple[str, list[TreebankNode]]] = []
    pending, words, line = False, 0, 0
    for line, text in source.lines():
        for piece in _PIECE.findall(text):
            if piece == "(":
                if pending:
                    open_nodes.append(("", []))
                pending = True
            elif piece == ")":
                if pending or not open_nodes:
                    problems.add(line, "closing bracket without an opening one")
                    problems.check()
                label, children = open_nodes.pop()
                node = _close(label, children)
                if open_nodes:
                    open_nodes[-1][1].extend(node)
                    continue
                words = 0
                yield from (one for one in node if one.children)
            elif pending:
                open_nodes.append((piece, []))
                pending = False
            elif open_nodes and not open_nodes[-1][1]:
                # The label of the bracket that was just opened is the tag of the word.
                tag = open_nodes.pop()[0]
                open_nodes.append((tag, [TreebankNode("", place=words)]))
                words += 1
            else:
                problems.add(line, f"the word {piece!r} has no tag; expected (TAG word)")
                problems.check()
    if open_nodes or pending:
        problems.add(line, "the file ends inside a tree")
    problems.check()


def _close(label: str, children: list[TreebankNode]) -> tuple[TreebankNode, ...]:
    """Convert a closed bracket to nodes: a word, a constituent, or only its children."""
    if len(children) == 1 and not children[0].label:
        dropped = label in DROPPED or not any(map(str.isalpha, label))
        return () if dropped else (TreebankNode(label, place=children[0].place),)
    if label in TOPS:
        return tuple(children)
    bare = re.split(r"[-=|]", label)[0] or label
    if len(children) == 1:
        child = children[0]
        return (child._replace(label=bare) if child.children else child,)
    return (TreebankNode(bare, tuple(children)),) if children else ()


def read_heads(source: Source) -> Iterator[TreebankNode]:
    """Yield constituent trees that are derived from CoNLL-U dependencies.

    A word and its dependents form a constituent, labelled with the word's dependency relation.
    Punctuation and relation subtypes are dropped.
    """
    tables = Tables()
    for tokens in read(source, tables, ReadContext()):
        for begin, end in zip(tokens.starts[:-1], tokens.starts[1:], strict=True):
            yield from _grow(tokens, int(begin), int(end), tables)


def _grow(tokens: Tokens, begin: int, end: int, tables: Tables) -> Iterator[TreebankNode]:
    """Build the trees of a sentence, one per root."""
    assert tokens.upos is not None
    assert tokens.head is not None
    assert tokens.deprel is not None
    relations = tokens.deprel[begin:end].tolist()
    tags = [tables.upos.texts[tag] if tag != NONE else "_" for tag in tokens.upos[begin:end]]
    heads = tokens.head[begin:end].tolist()
    below: dict[int, list[int]] = {}
    for at, head in enumerate(heads):
        if tags[at] not in DROPPED:
            below.setdefault(head - begin if head != NONE else NONE, []).append(at)

    def build(at: int) -> TreebankNode:
        word = TreebankNode(tags[at], place=at)
        if at not in below:
            return word
        relation = relations[at]
        label = tables.deprels.texts[relation].partition(":")[0] if relation != NONE else "_"
        children = sorted([word, *map(build, below[at])], key=lambda node: node.words[0].place)
        return TreebankNode(label, tuple(children))

    yield from (node for node in map(build, below.get(NONE, ())) if node.children)


def list_constituents(tree: TreebankNode) -> list[Constituent]:
    """Return all constituents of a sentence, top down."""
    sentence = tree.words
    tags = ["", *(word.label for word in sentence), ""]
    number = {word.place: at + 1 for at, word in enumerate(sentence)}
    found: list[Constituent] = []
    waiting = [(tree, -1)]
    while waiting:
        node, parent = waiting.pop()
        words = node.words
        first, last = number[words[0].place], number[words[-1].place]
        rule = tuple(PHRASE if child.children else child.label for child in node.children)
        around = tags[first - 1], tags[last + 1], tags[first], tags[last]
        waiting += [(child, len(found)) for child in reversed(node.children) if child.children]
        found.append(Constituent(node.label, rule, *around, parent))
    return found
