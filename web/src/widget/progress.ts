/** What becomes of the booking in the other tab, in the place of the free times. */
import { button, element, hidden } from './dom';
import type { ReportState } from './report';
import type { Words } from './words';

export type Stage = ReportState | 'ended';

export type ProgressParts = {
  words: Words;
  announce: (text: string) => void;
  /** Back to the free times. */
  onLeave: () => void;
};

const TEXTS = {
  waiting: ['waiting', 'waitingWhy'],
  held: ['held', 'heldWhy'],
  confirmed: ['confirmed', 'confirmedWhy'],
  cancelled: ['cancelled', 'cancelledWhy'],
  expired: ['expired', 'expiredWhy'],
  ended: ['ended', 'endedWhy'],
} as const satisfies Record<Stage, readonly [keyof Words, keyof Words]>;

export class Progress {
  readonly node = element('section', { class: 'progress', 'aria-labelledby': 'progress-title' });
  readonly #parts: ProgressParts;
  #heading: HTMLElement | undefined;

  constructor(parts: ProgressParts) {
    this.#parts = parts;
    this.node.hidden = true;
  }

  /** `address` is that of the tab, which may have been closed by mistake. */
  show(stage: Stage, address: string): void {
    const { words, announce, onLeave } = this.#parts;
    const [title, why] = TEXTS[stage];
    const inside = this.node.hidden || this.node.contains(document.activeElement);
    this.#heading = element('h2', { id: 'progress-title', tabindex: '-1' }, words[title]);
    const actions = element('div', { class: 'actions' });
    if (stage === 'waiting' || stage === 'held') {
      const attributes = { class: 'button', href: address, target: '_blank', rel: 'noopener' };
      actions.append(element('a', attributes, words.reopen, hidden(`, ${words.opensTab}`)));
    }
    const leave = stage === 'confirmed' ? words.anotherSession : words.otherTime;
    actions.append(button(leave, onLeave, 'plain'));
    this.node.dataset.stage = stage;
    this.node.replaceChildren(this.#heading, element('p', {}, words[why]), actions);
    this.node.hidden = false;
    if (inside) this.#heading.focus();
    announce(`${words[title]}. ${words[why]}`);
  }

  hide(): void {
    this.node.hidden = true;
    this.node.replaceChildren();
  }
}
