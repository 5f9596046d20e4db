// Explanations of the terms of the page.
/** @import { Context } from "./types" */

import { $, clear, el, bdi } from "./dom.js";

/** @type {Record<string, [title: string, text: string]>} */
export const TERMS = {
  class: [
    "Class",
    "Words that are used similarly in the text. Classes are nested: all words at the top, small groups at the bottom. A class without a name is labelled with words that are typical of it and frequent.",
  ],
  context: [
    "Context",
    "The words around a word and their relation to it. “have …” means that the word is the object of “have”; “cold …” means that “cold” modifies it, and “… of disease” that “of disease” follows it. Words that share contexts end up in one class. Point at a context to see its code, such as obj:have.",
  ],
  seen: [
    "Count",
    "The number of occurrences of the word in the text, within the contexts that were counted.",
  ],
  files: [
    "Files",
    "The number of files with a stored sentence in which the word occurs. If not all sentences were stored, the word may occur in more files.",
  ],
  keyness: [
    "Keyness",
    "The frequency of the word in this text, divided by its frequency in the background, which stands for general language. ×1.0 means that both are equal.",
  ],
  trust: [
    "Trust",
    "The estimated probability that a reader calls the class coherent. It is based on the similarity, the common contexts and the frequency of the most frequent words of the class. It is shown as at most 95 %, and only for classes without subclasses.",
  ],
  unsorted: [
    "Unsorted",
    "A class with a trust below 50 %. Its words probably do not belong together, so booklets and SKOS exports leave it out. To keep the class, rename it.",
  ],
  share: [
    "Share",
    "For a class, its share of all occurrences in the text. For a context, its share of all contexts of the class.",
  ],
  usual: [
    "× expected",
    "How many times as often the context occurs here as with all words (lift). ×1.0 means as often as expected, and ×8 is characteristic.",
  ],
  member: [
    "Membership",
    "The probability that the word belongs to this class, from 0 to 100 %. A word with several uses may belong to several classes: p(class|word).",
  ],
  distance: [
    "Distance from class centre",
    "How much the contexts of the word differ from the contexts of the whole class, in bits. Words near 0 are typical members and come first. A longer bar means a nearer word.",
  ],
  similarity: [
    "Similarity",
    "How much more similar two words are than two words on average, in standard deviations. Above 3 is close. It is computed from the contexts of both words.",
  ],
  beta: [
    "β",
    "The resolution of the search. The search starts with one class and raises β step by step. A class splits in two when the contexts of its words differ enough at the current β. A class that splits late is more uniform.",
  ],
  bits: [
    "Bits",
    "The unit of information. One bit answers one yes-or-no question. A split that saves many bits makes the description of the text shorter.",
  ],
  merged: [
    "Merge cost",
    "How different the two subclasses were when they were merged. The cost is small if they are similar, and large if they have little in common.",
  ],
  weight: [
    "Weight",
    "How much a context supports this class against the next most probable one, as a change of the log odds. A weight above 1 is strong. A weight below 0 supports the other class.",
  ],
  sense: [
    "Sense",
    "A use of the word that resembles other words. “Bank” may be used like “shore” and like “company”; each use is a sense, with its share of the occurrences. Senses are derived from the contexts of the word. They do not change where the word is listed.",
  ],
  place: [
    "Place",
    "Each word is listed in one class, whose words it resembles most. If the word is also used in other ways, these are listed as its senses.",
  ],
  sketch: [
    "Word sketch",
    "The collocates of a word, grouped by relation: verbs of which it is the object or the subject, its modifiers and so on. The most typical collocates come first.",
  ],
  dice: [
    "Typicality (logDice)",
    "How strongly two words are associated, at most 14. One point more means twice as strong. The score does not depend on the size of the text. A score of 7 or more is typical.",
  ],
  level: [
    "Level",
    "The tree, cut into a given number of classes: 8 classes give a rough overview, 64 a practical one, and 500 are fine groups.",
  ],
  lines: [
    "Sentences",
    "Sentences with the word in the middle, so that the words to its left and right can be read down the page. The number of sentences was limited when the text was counted.",
  ],
  change: [
    "Proposed change",
    "A change that was proposed after new text was added: a new word, a moved word, a split class or a new class. No change is final until you accept or refuse it.",
  ],
  apart: [
    "Separation",
    "How much more similar the words are within the new class than across the two classes, as a difference of cosines. 0 means no separation. A value of .05 or more is clear.",
  ],
  score: [
    "Better fit",
    "How much better the words fit the new class than their old class or the next best one. A value above 1 is clear. A value near 0 is undecided, so look at the sentences.",
  ],
};

// A term with an explanation that opens on click.
/** @type {(name: string, text?: string) => HTMLElement} */
export const term = (name, text) =>
  el("button", {
    type: "button",
    class: "term",
    "data-term": name,
    "aria-label": `${text ?? TERMS[name][0]}: explanation`,
    text: text ?? TERMS[name][0],
  });

/** @param {HTMLElement} button */
function explain(button) {
  const [title, text] = TERMS[button.dataset.term ?? ""] ?? ["", ""],
    box = $("explain");
  clear(box).append(el("b", { text: title }), el("p", { text }));
  box.showPopover();
  const at = button.getBoundingClientRect(),
    room = document.documentElement.clientWidth - box.offsetWidth - 12;
  const below = at.bottom + 8 + box.offsetHeight < innerHeight;
  box.style.left = `${Math.max(12, Math.min(at.left, room))}px`;
  box.style.top = `${Math.max(8, below ? at.bottom + 8 : at.top - 8 - box.offsetHeight)}px`;
}

export function startTerms() {
  document.addEventListener("click", (event) => {
    const button =
      event.target instanceof Element
        ? /** @type {HTMLElement | null} */ (event.target.closest(".term"))
        : null;
    if (button) {
      event.preventDefault();
      explain(button);
    }
  });
}

// A context in words; its code is the tooltip.
/** @type {(one: Context) => HTMLElement} */
export const phrase = (one) =>
  bdi(one.phrase, { title: one.phrase === one.context ? null : one.context, class: "phrase" });
