// Plain words for the numbers and names of the page, told where they stand.
/** @import { Context } from "./types" */

import { $, clear, el, said } from "./dom.js";

/** @type {Record<string, [title: string, text: string]>} */
export const TERMS = {
  class: [
    "Class",
    "Words that are used alike in the text. Classes lie within classes: all words at the top, small groups at the bottom. A class that nobody has named is called by its most telling words.",
  ],
  context: [
    "Context",
    "What stands around a word. “have …” means that the word is what somebody has; “cold …” that it is called cold; “… of disease” that “of disease” follows it. Words that share contexts end up in one class. The short name behind it, such as obj:have, is shown where you point at it.",
  ],
  seen: [
    "Seen",
    "How often the word was met in the text, within one of the contexts that were counted.",
  ],
  share: [
    "Share",
    "How much of the text it is: of a class, the share of all that was counted; of a context, how often it comes among all contexts of the class.",
  ],
  usual: [
    "Against usual",
    "How many times as often as with other words. ×1.0 is no more than usual; ×8 is telling. (Its logarithm is called lift.)",
  ],
  member: [
    "Membership",
    "How sure the program is that the word belongs here, from 0 to 100 %. A word with several uses may belong to several classes. Statisticians write p(class|word).",
  ],
  distance: [
    "From the middle",
    "How far the word’s contexts are from those of the class as a whole, in bits. Near 0 it is a typical member, and it stands first. The longer the bar, the nearer.",
  ],
  alike: [
    "Alike",
    "How much more alike two words are than common words usually are, in standard deviations. Above 3 is close. It is found from the contexts that both have.",
  ],
  beta: [
    "β",
    "How finely words are told apart. The program starts with one class and raises β little by little; a class splits in two when the contexts of its words differ enough to be told apart at that β. A class that splits late is more of one kind.",
  ],
  bits: [
    "Bits",
    "The unit in which information is measured; one bit is one question answered by yes or no. A split that saves many bits describes the text in fewer words, so it is worth making.",
  ],
  merged: [
    "Joined at",
    "How much had to be given up to make one class of the two below: small where they are alike, large where they have little in common.",
  ],
  weight: [
    "Weight",
    "How much a context speaks for this class and against the next likeliest one. Without it, the odds would be that much less (their natural logarithm); above 1 it matters much, below 0 it speaks against it.",
  ],
  sense: [
    "Sense",
    "A use of the word that is like other words. “Bank” may be used as “shore” is, and as “company” is; each is a sense, with its share of what was seen. Senses are read off the contexts of the word; they do not change where it is listed.",
  ],
  place: [
    "Place",
    "Each word is listed in one class: the one whose words it is most like on the whole. It may be used in other ways too; those are its senses.",
  ],
  sketch: [
    "Word sketch",
    "All that a word does, relation by relation: what one does with it, what it does, what it is called. The most typical partners come first.",
  ],
  dice: [
    "Typical (logDice)",
    "How strongly two words go together, from 0 to 14; each point up is twice as strong. It does not depend on the size of the text. 7 and more is typical.",
  ],
  level: [
    "Level",
    "The tree cut at a number of classes: 8 are a rough map, 64 a handy one, 500 fine groups.",
  ],
  lines: [
    "Sentences",
    "The sentences in which it was seen, the word in the middle, so that what stands to its left and right can be read down the page. Only as many are kept as was asked for when the text was counted.",
  ],
  change: [
    "Candidate",
    "What the program proposes after new text came in: a new word, a word that moved, a class that split. Nothing is settled until you accept or refuse it.",
  ],
  apart: [
    "Apart",
    "How much more alike the words are within the new class than across it and the other, as a difference of cosines. 0 is none; .05 and more can be seen by eye.",
  ],
  score: [
    "Better there",
    "How much better the words fit into the new class than into the one they were in, or into the next best one. Above 1 it is clear; near 0 it is a toss-up, so look at the sentences.",
  ],
};

// A word that can be asked what it means.
/** @type {(name: string, text?: string) => HTMLElement} */
export const term = (name, text) =>
  el("button", {
    type: "button",
    class: "term",
    "data-term": name,
    "aria-label": `${text ?? TERMS[name][0]}: what is that?`,
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

// A context in plain words; its name in the counts where one points at it.
/** @type {(one: Context) => HTMLElement} */
export const phrase = (one) =>
  said(one.said, { title: one.said === one.context ? null : one.context, class: "phrase" });
