import { type ComponentType, type ReactNode, useState } from 'react';
import { Spinner } from '@/components/ui/spinner';
import { importWithRetry } from '@/lib/import-with-retry';
import { useHydrated } from '@/lib/use-hydrated';
import { COVER, LOADING, NO_PLAYER } from '../video-messages';
import type { MediaPlayerProps } from './media-player';
import { PlayerError } from './player-error';
import { BAR, FRAME, PICTURE } from './player-frame';
import { PlayerIcon } from './player-icons';

export type VideoPlayerProps = MediaPlayerProps & {
  /** Shown in the video's place until it is played: drawn, so that it costs no request. */
  cover: ReactNode;
};

/** The player's code. It is tried again at each press, because a lost connection comes back. */
function fetchPlayer(): Promise<ComponentType<MediaPlayerProps>> {
  return importWithRetry(() => import('./media-player')).then((module) => module.MediaPlayer);
}

type PlayProps = { src: string; title: string; busy: boolean; onPlay: () => void };

/**
 * A button over the whole picture. Before the page's code runs it is a link to the file, which the
 * browser plays by itself.
 */
function Play({ src, title, busy, onPlay }: PlayProps) {
  const hydrated = useHydrated();
  const inside = (
    <span className="inline-flex min-h-14 items-center gap-2 rounded-full border border-transparent bg-brand py-2 pr-6 pl-4 text-lg font-semibold text-on-brand shadow-lift transition-colors group-hover:bg-brand-strong">
      {busy ? <Spinner className="mx-1" /> : <PlayerIcon name="play" className="size-7" />}
      Play video
    </span>
  );
  const look =
    'group absolute inset-0 flex items-end justify-start p-4 sm:p-6 focus-visible:-outline-offset-4';
  if (!hydrated) {
    return (
      <a href={src} aria-label={`Play video: ${title}`} className={look}>
        {inside}
      </a>
    );
  }
  return (
    <button
      type="button"
      aria-label={`Play video: ${title}`}
      aria-busy={busy || undefined}
      className={look}
      onClick={busy ? undefined : onPlay}
      // A press is likely after hovering; only code is fetched, nothing of the video.
      onPointerEnter={() => void fetchPlayer().catch(() => {})}
    >
      {inside}
    </button>
  );
}

type Phase = 'cover' | 'fetching' | 'failed';

/** A video that costs nothing until someone asks for it: neither bytes of it nor the player's code. */
export function VideoPlayer({ cover, ...media }: VideoPlayerProps) {
  const [phase, setPhase] = useState<Phase>('cover');
  const [Player, setPlayer] = useState<ComponentType<MediaPlayerProps>>();
  const start = () => {
    setPhase('fetching');
    fetchPlayer().then(
      (loaded) => setPlayer(() => loaded),
      () => setPhase('failed'),
    );
  };
  if (Player) return <Player {...media} />;
  return (
    <div className={FRAME}>
      <div className={PICTURE}>
        {cover}
        {phase === 'failed' ? null : (
          <Play src={media.src} title={media.title} busy={phase === 'fetching'} onPlay={start} />
        )}
      </div>
      <div className={BAR}>
        <p role="status" className="px-5 py-2 text-sm text-ink-2">
          {phase === 'fetching' ? LOADING : COVER}
        </p>
      </div>
      {phase === 'failed' ? <PlayerError reason={NO_PLAYER} onRetry={start} /> : null}
    </div>
  );
}
