/** Choosing another time for a session that the practice can't hold: what is chosen, and what is gone. */
import { useState } from 'react';
import { toInstant } from '@/lib/instant';
import type { ForActs } from '../components/act-dialogs';
import { shownTimes } from '../proposal';
import { useMoving } from './use-moving';
import { usePageCode } from './use-page-code';
import { useSuggestedTimes } from './use-suggested-times';

/** A time that can't be had, and the reason of the refusal; empty where it was not asked for. */
export type GoneTime = { at: Date; reason: string };

/** A choice whose answer was lost. */
export type Unheard = { number: number; instant: string };

type Asked = Pick<ForActs, 'booking' | 'news' | 'onMoved'> & {
  /** From 1. */
  number: number;
  preset: Date | undefined;
  onUnheard: (choice: Unheard) => void;
};

export function useChoosing(asked: Asked) {
  const { booking, news, onMoved, onUnheard, number, preset } = asked;
  const suggested = useSuggestedTimes({ booking, number, preset });
  const [picked, setPicked] = useState<string>();
  const [refused, setRefused] = useState<GoneTime>();
  const moving = useMoving({
    booking,
    sessionNumber: number,
    onDone: (after) => onMoved(after, number),
    onRefused: (instant, reason) => {
      setPicked('');
      setRefused({ at: new Date(instant), reason });
      suggested.refetch();
    },
    onLearn: news.learn,
    onStale: () => {
      onUnheard({ number, instant: chosen });
      news.refresh(booking.bookingId);
    },
  });
  const pageCode = usePageCode(moving.codeAsked, moving.error);
  const { times, presetIsFree } = suggested;
  // The time of the mail is chosen until another one is.
  const chosen = picked ?? (preset && presetIsFree ? toInstant(preset) : '');
  const isPresetGone = preset !== undefined && presetIsFree === false && picked === undefined;
  const gone = refused ?? (isPresetGone ? { at: preset, reason: '' } : undefined);
  return {
    suggested,
    times: times && shownTimes(times, chosen ? new Date(chosen) : undefined),
    chosen,
    gone,
    moving,
    pageCode,
    pick: (at: Date) => {
      setPicked(toInstant(at));
      setRefused(undefined);
      moving.forget();
    },
  };
}

export type Choosing = ReturnType<typeof useChoosing>;
