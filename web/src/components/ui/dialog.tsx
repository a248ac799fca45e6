import {
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
} from 'react';
import { classes } from '@/lib/classes';
import { CloseButton } from './close-button';
import { offerToastHost } from './toast-host';

export type DialogProps = {
  open: boolean;
  /** Called for Escape, the close button and a press beside the dialog. */
  onClose: () => void;
  title: ReactNode;
  children: ReactNode;
  /** Buttons that stay in sight below the scrolling content. */
  actions?: ReactNode;
  size?: 'md' | 'lg';
  /** On a phone it comes from the bottom edge, within reach of a thumb. */
  sheet?: boolean;
};

const SHEET =
  'max-sm:mb-0 max-sm:w-full max-sm:max-w-full max-sm:rounded-b-none ' +
  'max-sm:pb-[env(safe-area-inset-bottom)]';

/**
 * What is hidden for the eye is placed within it, or it would lengthen the dialog itself; what gets
 * the focus keeps clear of a toast.
 */
const SCROLLER = 'relative min-h-0 flex-1 scroll-pb-28 overflow-y-auto px-6 pt-1 pb-6 max-sm:px-4';

/** A modal native dialog; the browser traps focus in it and returns it to the opener. */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, children, actions, size = 'md', sheet = false } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const pressedBeside = useRef(false);

  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (open && !dialog.open) dialog.showModal();
    if (!open && dialog.open) dialog.close();
    return open ? offerToastHost(dialog) : undefined;
  }, [open]);

  /** Text that is marked past the edge begins inside: only a whole press beside it closes. */
  function onPress(event: PointerEvent<HTMLDialogElement>) {
    const beside = event.target === ref.current;
    pressedBeside.current = beside && (event.type === 'pointerdown' || pressedBeside.current);
  }

  function onBackdrop(event: MouseEvent<HTMLDialogElement>) {
    if (event.target !== ref.current || !pressedBeside.current) return;
    pressedBeside.current = false;
    onClose();
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a native dialog by itself.
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onClose={onClose}
      onPointerDown={onPress}
      onPointerUp={onPress}
      onClick={onBackdrop}
      className={classes(
        'm-auto max-h-[min(92dvh,52rem)] w-[calc(100%-1.5rem)] rounded-panel bg-surface p-0',
        'text-ink shadow-lift open:animate-rise',
        size === 'lg' ? 'max-w-3xl' : 'max-w-xl',
        sheet && SHEET,
      )}
    >
      {open ? (
        <div className="flex max-h-[min(92dvh,52rem)] flex-col">
          <header className="flex items-start gap-4 px-6 pt-5 pb-3 max-sm:px-4">
            <h2 id={titleId} className="flex-1 pt-1.5 text-h3">
              {title}
            </h2>
            <CloseButton onClick={onClose} className="-mr-2 text-ink-2" />
          </header>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
          <div tabIndex={0} className={SCROLLER}>
            {children}
          </div>
          {actions ? (
            <footer className="flex flex-wrap gap-3 border-t border-hairline px-4 py-4 sm:px-6">
              {actions}
            </footer>
          ) : null}
        </div>
      ) : null}
    </dialog>
  );
}
