import { type PointerEvent, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { classes } from '@/lib/classes';
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

/** Lets a pointer drag the toast to the side; beyond the threshold it is dismissed. */
function useSwipe(onSwipe: () => void) {
  const start = useRef<number | null>(null);
  const move = (element: HTMLElement, by: number) => {
    element.style.transform = by === 0 ? '' : `translateX(${by}px)`;
  };
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if ((event.target as HTMLElement).closest('button')) return;
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

function ActionButton({ id, action }: { id: number; action: ToastAction }) {
  function act() {
    dismissToast(id);
    action.onAction();
  }
  return (
    <button
      type="button"
      onClick={act}
      className="-my-1 min-h-11 shrink-0 rounded-full border border-control px-4 text-sm font-semibold text-brand hover:border-brand hover:bg-brand-soft"
    >
      {action.label}
    </button>
  );
}

function ToastCard({ entry }: { entry: ToastEntry }) {
  const [paused, setPaused] = useState(false);
  const swipe = useSwipe(() => dismissToast(entry.id));
  const { id, durationMs = TOAST_DURATION_MS } = entry;
  // What it offers ends at its time, so looking at it must not keep the offer.
  const until = entry.action ? entry.until : undefined;
  const held = paused && until === undefined;

  useEffect(() => {
    if (held) return;
    const ms = until === undefined ? durationMs : until - Date.now();
    const timer = setTimeout(() => dismissToast(id), ms);
    return () => clearTimeout(timer);
  }, [held, id, until, durationMs]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: swiping is an extra to the close button.
    <div
      {...swipe}
      onMouseEnter={() => setPaused(true)}
      onMouseLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
      data-variant={entry.variant ?? 'default'}
      className={classes(
        'animate-rise pointer-events-auto flex w-full max-w-sm touch-pan-y items-start gap-3',
        'rounded-card border p-4 shadow-lift',
        entry.variant === 'destructive'
          ? 'border-err bg-err-soft text-err'
          : 'border-hairline bg-surface text-ink',
      )}
    >
      <div className="min-w-0 flex-1">
        <p className="font-semibold">{entry.title}</p>
        {entry.description ? <p className="text-sm text-ink">{entry.description}</p> : null}
      </div>
      {entry.action ? <ActionButton id={entry.id} action={entry.action} /> : null}
      <CloseButton label="Dismiss" onClick={() => dismissToast(entry.id)} className="-m-2" />
    </div>
  );
}

/** The toast area: a live region that is there from the first paint. */
export function Toaster() {
  const entry = useSyncExternalStore(subscribeToToast, currentToast, () => null);
  const host = useSyncExternalStore(subscribeToToastHost, currentToastHost, () => null);
  useEffect(showFlashToast, []);
  const area = (
    <div
      role="status"
      aria-live="polite"
      data-testid="toasts"
      className="pointer-events-none fixed inset-x-4 bottom-[max(1rem,env(safe-area-inset-bottom))] z-50 flex justify-center md:justify-end xl:right-20 max-lg:[html:has([data-bottom-bar])_&]:bottom-24 print:hidden"
    >
      {entry ? <ToastCard key={entry.id} entry={entry} /> : null}
    </div>
  );
  return host ? createPortal(area, host) : area;
}
