import {
  type PointerEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { createPortal } from 'react-dom';
import { classes } from '@/lib/classes';
import { deviceMs } from '@/lib/clock';
import { CloseButton } from './close-button';
import { showFlashToast } from './flash-toast';
import { currentToastHost, subscribeToToastHost } from './toast-host';
import {
  currentToast,
  dismissToast,
  subscribeToToast,
  TOAST_DURATION_MS,
  TOAST_SWIPE_THRESHOLD,
  type ToastAction,
  type ToastEntry,
} from './toast-store';

const GAP_PX = 8;

/** Lets a pointer drag the toast to the side by its handle; beyond the threshold it is dismissed. */
function useSwipe(onSwipe: () => void) {
  const start = useRef<number | null>(null);
  const move = (handle: HTMLElement, by: number) => {
    const card = handle.parentElement;
    if (card) card.style.transform = by === 0 ? '' : `translateX(${by}px)`;
  };
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      start.current = event.clientX;
      event.currentTarget.setPointerCapture?.(event.pointerId);
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      if (start.current !== null) move(event.currentTarget, event.clientX - start.current);
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      if (start.current === null) return;
      const by = event.clientX - start.current;
      start.current = null;
      move(event.currentTarget, 0);
      if (Math.abs(by) >= TOAST_SWIPE_THRESHOLD) onSwipe();
    },
    onPointerCancel(event: PointerEvent<HTMLElement>) {
      start.current = null;
      move(event.currentTarget, 0);
    },
  };
}

/** Where the card is held to be swiped away. The rest of it lets presses through. */
function Handle({ onSwipe }: { onSwipe: () => void }) {
  return (
    <span
      {...useSwipe(onSwipe)}
      aria-hidden="true"
      data-testid="toast-handle"
      className="pointer-events-auto -my-3 -ml-3 grid w-7 shrink-0 cursor-grab touch-none place-items-center self-stretch"
    >
      <span className="h-8 w-1 rounded-full bg-control" />
    </span>
  );
}

function ActionButton({ id, action }: { id: number; action: ToastAction }) {
  function act() {
    dismissToast(id);
    action.onAction();
  }
  return (
    <button
      type="button"
      onClick={act}
      className="pointer-events-auto -my-1 min-h-11 shrink-0 rounded-full border border-control px-4 text-sm font-semibold text-brand hover:border-brand hover:bg-brand-soft"
    >
      {action.label}
    </button>
  );
}

/** What stands on the page as well. */
function HeardOnly({ entry: { variant = 'default', title, description } }: { entry: ToastEntry }) {
  return (
    <div data-variant={variant} className="sr-only">
      <p>{title}</p>
      {description ? <p>{description}</p> : null}
    </div>
  );
}

/**
 * On a phone the toasts have their room below the header, however tall that is. A toast that outlives
 * the dialog in which it was shown has a new area, which has to learn it again.
 */
function useRoom(entry: ToastEntry | null, host: HTMLElement | null) {
  const area = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!entry || host) return;
    const below = document.querySelector('body header')?.getBoundingClientRect().bottom ?? 0;
    area.current?.style.setProperty('--toast-top', `${Math.max(0, below) + GAP_PX}px`);
  }, [entry, host]);
  return area;
}

function ToastCard({ entry }: { entry: ToastEntry }) {
  const [paused, setPaused] = useState(false);
  const { id, durationMs = TOAST_DURATION_MS } = entry;
  // What it offers ends at its time, so looking at it must not keep the offer.
  const until = entry.action ? entry.until : undefined;
  const held = paused && until === undefined;

  useEffect(() => {
    if (held) return;
    const ms = until === undefined ? durationMs : until - deviceMs();
    const timer = setTimeout(() => dismissToast(id), ms);
    return () => clearTimeout(timer);
  }, [held, id, until, durationMs]);

  if (entry.beside) return <HeardOnly entry={entry} />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its time only stops while it is looked at.
    <div
      onMouseEnter={() => setPaused(true)}
      onMouseLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
      data-variant={entry.variant ?? 'default'}
      className={classes(
        'animate-rise flex w-full max-w-sm items-start gap-3 rounded-card border p-4 shadow-lift',
        entry.variant === 'destructive'
          ? 'border-err bg-err-soft text-err'
          : 'border-hairline bg-surface text-ink',
      )}
    >
      <Handle onSwipe={() => dismissToast(entry.id)} />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">{entry.title}</p>
        {entry.description ? <p className="text-sm text-ink">{entry.description}</p> : null}
      </div>
      {entry.action ? <ActionButton id={entry.id} action={entry.action} /> : null}
      <CloseButton
        label="Dismiss"
        onClick={() => dismissToast(entry.id)}
        className="pointer-events-auto -m-2"
      />
    </div>
  );
}

/** The toast area: a live region that is there from the first paint. */
export function Toaster() {
  const entry = useSyncExternalStore(subscribeToToast, currentToast, () => null);
  const host = useSyncExternalStore(subscribeToToastHost, currentToastHost, () => null);
  const room = useRoom(entry, host);
  useEffect(showFlashToast, []);
  const area = (
    <div
      ref={room}
      role="status"
      aria-live="polite"
      data-testid="toasts"
      className={classes(
        'pointer-events-none fixed inset-x-4 z-50 flex justify-center md:bottom-[max(1rem,env(safe-area-inset-bottom))] md:justify-end xl:right-20 md:max-lg:[html:has([data-bottom-bar])_&]:bottom-24 print:hidden',
        // At its top a dialog has its title and the button that closes it.
        host ? 'max-md:bottom-[max(1rem,env(safe-area-inset-bottom))]' : 'max-md:top-(--toast-top)',
      )}
    >
      {entry ? <ToastCard key={entry.id} entry={entry} /> : null}
    </div>
  );
  return host ? createPortal(area, host) : area;
}
