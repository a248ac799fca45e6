import { useRef } from 'react';
import { classes } from '@/lib/classes';
import { useFocusWhenLost } from '../hooks/use-focus-when-lost';
import type { PlayerCommand } from '../player-keys';
import type { PlayerState } from '../player-state';
import { timeText } from '../video-messages';
import { type IconName, PlayerIcon } from './player-icons';
import { Slider } from './slider';

type Run = (command: PlayerCommand) => void;
type PartProps = { state: PlayerState; run: Run };

const BUTTON =
  'grid size-11 shrink-0 place-items-center rounded-full text-ink hover:bg-sunken hover:text-brand';

type ControlProps = {
  name: string;
  icon: IconName;
  shortcut: string;
  pressed?: boolean;
  onPress: () => void;
};

function Control({ name, icon, shortcut, pressed, onPress }: ControlProps) {
  return (
    <button
      type="button"
      aria-label={name}
      aria-pressed={pressed}
      title={`${name} (${shortcut})`}
      onClick={onPress}
      className={classes(BUTTON, pressed && 'bg-brand-soft text-brand')}
    >
      <PlayerIcon name={icon} />
    </button>
  );
}

function PlayButton({ state, run }: PartProps) {
  const ref = useRef<HTMLButtonElement>(null);
  useFocusWhenLost(ref);
  const name = state.going ? 'Pause' : 'Play';
  return (
    <button
      ref={ref}
      type="button"
      aria-label={name}
      title={`${name} (k)`}
      onClick={() => run({ type: 'toggle' })}
      className={classes(
        BUTTON,
        'bg-brand text-on-brand hover:bg-brand-strong hover:text-on-brand',
      )}
    >
      <PlayerIcon name={state.going ? 'pause' : 'play'} />
    </button>
  );
}

/** Play or pause, where it is, and how long it lasts. */
function Progress({ state, run }: PartProps) {
  const max = Math.max(1, Math.floor(state.duration));
  const [now, end] = [timeText(state.seconds), timeText(state.duration)];
  return (
    <div className="flex min-w-0 flex-1 items-center gap-1 pr-2 max-sm:basis-full sm:gap-2">
      <PlayButton state={state} run={run} />
      <Slider
        label="Position"
        text={`${now} of ${end}`}
        value={Math.min(max, Math.floor(state.seconds))}
        max={max}
        step={1}
        behind={state.loadedTo}
        target="seek"
        onValue={(seconds) => run({ type: 'seek-to', seconds })}
        className="min-w-0 flex-1"
      />
      <p className="shrink-0 text-sm whitespace-nowrap text-ink-2 numeric">
        {now} / {end}
      </p>
    </div>
  );
}

function Sound({ state, run }: PartProps) {
  const volume = state.muted ? 0 : state.volume;
  return (
    <div className="flex min-w-0 items-center max-sm:flex-1">
      <Control
        name="Mute"
        icon={volume === 0 ? 'muted' : 'sound'}
        shortcut="m"
        pressed={volume === 0}
        onPress={() => run({ type: 'mute' })}
      />
      <Slider
        label="Volume"
        text={`${Math.round(volume * 100)} percent`}
        value={volume}
        max={1}
        step={0.05}
        target="volume"
        onValue={(value) => run({ type: 'volume-to', volume: value })}
        className="w-24 min-w-0 shrink max-sm:flex-1"
      />
    </div>
  );
}

type PlayerControlsProps = PartProps & { full: boolean; withCaptions: boolean };

/** The bar below the video: in two rows on a phone, in one where there is room. */
export function PlayerControls({ state, run, full, withCaptions }: PlayerControlsProps) {
  const seek = (seconds: number) => run({ type: 'seek-by', seconds });
  return (
    <div className="flex w-full flex-wrap items-center gap-y-1 px-1 py-1.5 sm:gap-x-1 sm:px-2">
      <Progress state={state} run={run} />
      <Control name="Back 1 second" icon="back" shortcut="left arrow" onPress={() => seek(-1)} />
      <Control
        name="Forward 1 second"
        icon="forward"
        shortcut="right arrow"
        onPress={() => seek(1)}
      />
      <Sound state={state} run={run} />
      {withCaptions && state.captions !== 'missing' ? (
        <Control
          name="Captions"
          icon="captions"
          shortcut="c"
          pressed={state.captions === 'on'}
          onPress={() => run({ type: 'captions' })}
        />
      ) : null}
      <Control
        name="Full screen"
        icon={full ? 'small' : 'full'}
        shortcut="f"
        pressed={full}
        onPress={() => run({ type: 'full-screen' })}
      />
    </div>
  );
}
