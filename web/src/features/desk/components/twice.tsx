/**
 * What cannot be taken back is pressed twice: the second press says what it does. It counts once its
 * words can have been read, so that a double click is one press.
 */
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { useSteadyPress } from '@/lib/use-steady-press';

type TwiceProps = {
  label: string;
  /** What the second press does. */
  sure: string;
  busy: boolean;
  onSure: () => void;
  /** As wide as what is around it. */
  block?: boolean;
};

export function Twice({ label, sure, busy, onSure, block = false }: TwiceProps) {
  const [asked, setAsked] = useState(false);
  const { ready, press } = useSteadyPress(asked ? sure : label, onSure);
  return (
    <Button
      variant={asked ? 'primary' : 'secondary'}
      size="sm"
      block={block}
      busy={busy}
      aria-disabled={asked && !ready}
      onClick={(event) => (asked ? press(event) : setAsked(true))}
    >
      {asked ? sure : label}
    </Button>
  );
}
