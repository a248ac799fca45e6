import type { KeyboardEvent } from 'react';
import { Spinner } from '@/components/ui/spinner';
import { classes } from '@/lib/classes';
import { type Player, usePlayer } from '../hooks/use-player';
import { commandOf, type KeyTarget } from '../player-keys';
import { LOADING, NO_CAPTIONS } from '../video-messages';
import { PlayerControls } from './player-controls';
import { PlayerError } from './player-error';
import { BAR, FRAME, PICTURE } from './player-frame';

export type MediaPlayerProps = {
  /** The video file's address. */
  src: string;
  /** The captions' address (WebVTT), or "". */
  captions: string;
  /** The picture until the first frame is there. */
  poster?: string;
  /** What the video is about. */
  title: string;
};

function targetOf(element: EventTarget): KeyTarget {
  if (element instanceof HTMLButtonElement) return 'button';
  const target = element instanceof HTMLElement ? element.dataset.target : undefined;
  return target === 'seek' || target === 'volume' ? target : 'other';
}

function onKeyDown(event: KeyboardEvent, { state, run }: Player): void {
  const command = commandOf(event, targetOf(event.target));
  if (!command || state.status === 'error') return;
  event.preventDefault();
  run(command);
}

/**
 * Captions of another site are only fetched for a video that is fetched with CORS as well; then
 * both hosts have to allow it. A video with our own captions needs no CORS.
 */
function corsOf(captions: string): 'anonymous' | undefined {
  const elsewhere = new URL(captions, window.location.href).origin !== window.location.origin;
  return elsewhere ? 'anonymous' : undefined;
}

type PictureProps = MediaPlayerProps & { player: Player };

function Picture({ src, captions, poster, player }: PictureProps) {
  const { video, events, state, full, run } = player;
  return (
    <div className={classes(full ? 'relative min-h-0 flex-1' : PICTURE, 'bg-sunken')}>
      <video
        ref={video}
        // Before the address, which begins to load as soon as it is there.
        crossOrigin={corsOf(captions)}
        src={src}
        poster={poster}
        preload="auto"
        playsInline
        onClick={() => run({ type: 'toggle' })}
        className={classes(
          'absolute inset-0 size-full object-contain [&::cue]:font-sans',
          full ? '[&::cue]:text-h3' : '[&::cue]:text-sm',
        )}
        {...events}
      >
        {captions ? <track kind="captions" src={captions} srcLang="en" label="English" /> : null}
      </video>
      <p
        role="status"
        className="pointer-events-none absolute inset-0 grid place-items-center text-sm font-semibold"
      >
        {state.status === 'loading' ? (
          <span className="inline-flex items-center gap-2 rounded-full bg-surface px-4 py-2">
            <Spinner /> {LOADING}
          </span>
        ) : null}
        {state.captions === 'missing' ? <span className="sr-only">{NO_CAPTIONS}</span> : null}
      </p>
    </div>
  );
}

/** A whole screen is dark in both themes, as a room where one looks at something. */
const FULL = 'dark relative flex h-full flex-col bg-surface text-ink';

/** The player itself: it loads and plays, because it was asked to. */
export function MediaPlayer(props: MediaPlayerProps) {
  const player = usePlayer();
  const { frame, state, full, run, retry } = player;
  const failed = state.status === 'error';
  return (
    <section
      ref={frame}
      aria-label={`Video: ${props.title}`}
      data-state={state.status}
      className={full ? FULL : FRAME}
      onKeyDown={(event) => onKeyDown(event, player)}
    >
      <Picture {...props} player={player} />
      <div className={BAR}>
        {failed ? null : (
          <PlayerControls
            state={state}
            run={run}
            full={full}
            withCaptions={props.captions !== ''}
          />
        )}
      </div>
      {failed ? <PlayerError reason={state.reason} onRetry={retry} /> : null}
    </section>
  );
}
