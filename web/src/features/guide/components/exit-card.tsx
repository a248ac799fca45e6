import { useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import { ServiceArt } from '@/components/art/service-art';
import { CloseButton } from '@/components/ui/close-button';
import { currentToast, subscribeToToast } from '@/components/ui/toast-store';
import { classes } from '@/lib/classes';
import { useOfferCard } from '../hooks/use-offer-card';
import { GuideForm } from './guide-form';

export type ExitCardProps = { onClose: () => void };

/** A toast is shown at the same edge; the card makes room for it. */
function useToastBelow(): boolean {
  return useSyncExternalStore(subscribeToToast, currentToast, () => null) !== null;
}

const TITLE = 'Ten quiet minutes for you';

const CARD =
  'animate-rise fixed top-auto left-auto z-30 m-0 overflow-y-auto overscroll-contain right-3 ' +
  'w-[calc(100%-1.5rem)] max-w-sm rounded-panel border border-hairline bg-surface p-0 text-ink ' +
  'shadow-lift sm:right-6 xl:right-20 print:hidden ' +
  'low:bottom-2 low:max-h-[calc(100dvh-1rem)]';

const AT_THE_EDGE =
  'high:bottom-[max(0.75rem,env(safe-area-inset-bottom))] high:max-h-[45dvh] sm:high:bottom-6';

const ABOVE_A_TOAST = 'high:bottom-34 high:max-h-[min(45dvh,calc(100dvh-14rem))]';

type LineProps = { name: string; hidden: boolean; onOpen: () => void };

/** The offer in one line, for windows too low for the whole card; a press opens the card. */
function Line({ name, hidden, onOpen }: LineProps) {
  return (
    <button
      type="button"
      onClick={onOpen}
      className={classes(
        'hidden min-h-11 w-full items-center gap-2 pr-12 pl-4 text-left text-xs leading-tight',
        'font-semibold focus-visible:-outline-offset-4',
        !hidden && 'low:flex',
      )}
    >
      {name} <span className="text-brand underline">Open</span>
    </button>
  );
}

/**
 * The offer at the bottom edge. It is a dialog that is not modal, and it is rendered open instead of
 * being shown by a call, because a call would move the focus into it. It never takes half of the
 * window, and in a low one it is a line that opens when it is asked to.
 */
export function ExitCard({ onClose }: ExitCardProps) {
  const card = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const textId = useId();
  const close = useOfferCard(card, onClose);
  const raised = useToastBelow();
  const title = useRef<HTMLHeadingElement>(null);
  const [opened, setOpened] = useState(false);

  useEffect(() => {
    if (opened) title.current?.focus({ preventScroll: true });
  }, [opened]);

  return (
    <dialog
      ref={card}
      open
      aria-labelledby={titleId}
      aria-describedby={textId}
      className={classes(CARD, raised ? ABOVE_A_TOAST : AT_THE_EDGE)}
    >
      <Line name={TITLE} hidden={opened} onOpen={() => setOpened(true)} />
      <ServiceArt
        seed="meditation"
        accent="leaf"
        className="h-24 w-full max-sm:hidden [@media(max-height:60rem)]:hidden"
      />
      <div className={classes('flex flex-col gap-3 p-4 sm:p-6', !opened && 'low:hidden')}>
        <h2 ref={title} id={titleId} tabIndex={-1} className="pr-10 text-h3 outline-none">
          {TITLE}
        </h2>
        <p id={textId} className="text-sm text-ink-2">
          Before you go: a free 5-step meditation guide that works in 10 minutes.
        </p>
        <GuideForm onSent={close} />
      </div>
      <CloseButton
        onClick={close}
        className={classes(
          'absolute top-2 right-2 bg-surface text-ink-2',
          !opened && 'low:top-0 low:right-0',
        )}
      />
    </dialog>
  );
}
