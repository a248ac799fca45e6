/** Closing a card that opened by itself: by Escape, and with the focus where it was before. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { isBehind } from '../exit-popup-rules';

export function useOfferCard(card: RefObject<HTMLElement | null>, onClose: () => void) {
  /** What had the focus before it went into the card. */
  const before = useRef<HTMLElement | null>(null);

  useEffect(() => {
    const element = card.current;
    const onFocus = ({ relatedTarget }: FocusEvent) => {
      const from = relatedTarget instanceof HTMLElement ? relatedTarget : null;
      if (!from || !element?.contains(from)) before.current = from;
    };
    element?.addEventListener('focusin', onFocus);
    return () => element?.removeEventListener('focusin', onFocus);
  }, [card]);

  const close = useCallback(() => {
    if (card.current?.contains(document.activeElement)) {
      const { current } = before;
      const back = current?.isConnected ? current : document.getElementById('main');
      back?.focus({ preventScroll: true });
    }
    onClose();
  }, [card, onClose]);

  // Before the card is painted: as soon as it is seen, Escape closes it.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isBehind(card.current)) return;
      close();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [card, close]);

  return close;
}
