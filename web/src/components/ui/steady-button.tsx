import { useSteadyPress } from '@/lib/use-steady-press';
import { Button, type ButtonVariant } from './button';

type SteadyButtonProps = {
  /** What it does, with its sum or its time. */
  words: string;
  onPress: () => void;
  variant?: ButtonVariant;
  busy: boolean;
  busyText?: string;
};

/** The second press of what can't be taken back: it waits until its words can have been read. */
export function SteadyButton({ words, onPress, ...look }: SteadyButtonProps) {
  const { ready, press } = useSteadyPress(words, onPress);
  return (
    <Button {...look} aria-disabled={!ready} onClick={press}>
      {words}
    </Button>
  );
}
