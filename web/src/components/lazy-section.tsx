/**
 * Sections of a page whose code comes after the page. One that does not come says so in its own
 * place and can be tried again; the page around it stays.
 */
import { type ReactNode, useEffect } from 'react';
import { type LazyLoader, type LazyModule, useLazyModule } from '@/lib/use-lazy-module';
import { useOnline } from '@/lib/use-online';
import { Alert } from './ui/alert';
import { Button } from './ui/button';

type LateNoticeProps = { title: string; late: LazyModule<unknown> };

/** Shown in the section's place. It disappears by itself when the connection comes back. */
export function LazyNotice({ title, late: { coming, failures, fetch } }: LateNoticeProps) {
  const online = useOnline();

  useEffect(() => {
    const again = () => void fetch();
    window.addEventListener('online', again);
    return () => window.removeEventListener('online', again);
  }, [fetch]);

  return (
    <Alert
      tone="error"
      live
      title={title}
      className="w-full"
      action={
        <>
          <Button variant="secondary" size="sm" busy={coming} onClick={() => void fetch()}>
            Try again
          </Button>
          {/* It may be gone since the site was renewed; without a connection the page would be, too. */}
          {failures > 1 && online ? (
            <Button variant="secondary" size="sm" onClick={() => window.location.reload()}>
              Reload the page
            </Button>
          ) : null}
        </>
      }
    >
      You seem to be offline. This will load when you're back.
    </Alert>
  );
}

type LateSectionProps<Piece> = {
  code: LazyLoader<Piece>;
  /** Shown in the prerendered page, and until the code is loaded. */
  resting: ReactNode;
  /** What to say where the code cannot be had. */
  missing: string;
  /** The page around those words, where the code is all that the page has. */
  around?: (notice: ReactNode) => ReactNode;
  children: (piece: Piece) => ReactNode;
};

/**
 * Loads the code when it is mounted; code that is loaded already is shown at once. Sections that take
 * turns in one place need a key each.
 */
export function LazySection<Piece>(props: LateSectionProps<Piece>) {
  const { code, resting, missing, around, children } = props;
  const late = useLazyModule(code.load);
  const { fetch } = late;
  useEffect(() => void fetch(), [fetch]);
  const piece = late.piece ?? code.known;
  if (piece) return children(piece);
  if (late.failures === 0) return resting;
  const notice = <LazyNotice title={missing} late={late} />;
  return around ? around(notice) : notice;
}
