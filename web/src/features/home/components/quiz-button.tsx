import { type ComponentType, useState } from 'react';
import { Button } from '@/components/ui/button';
import { useLazyModule } from '@/lib/use-lazy-module';

export type QuizDialog = ComponentType<{ open: boolean; onClose: () => void }>;

/** Opens the quiz. Its code is fetched on hover, focus or press of the button, and not before. */
export function QuizButton({ load }: { load: () => Promise<QuizDialog> }) {
  const quiz = useLazyModule(load);
  const [wanted, setWanted] = useState(false);
  const [missed, setMissed] = useState(false);
  const Quiz = quiz.piece;

  function reach() {
    if (quiz.failures === 0) void quiz.fetch();
  }

  async function open() {
    setWanted(true);
    setMissed(false);
    if (await quiz.fetch()) return;
    setWanted(false);
    setMissed(true);
  }

  return (
    <>
      <Button
        size="lg"
        aria-haspopup="dialog"
        busy={wanted && quiz.coming}
        onPointerEnter={reach}
        onFocus={reach}
        onClick={() => void open()}
      >
        Take the 90-second quiz
      </Button>
      {missed ? (
        <p role="alert" className="order-last basis-full text-err">
          The quiz did not open: your connection seems to be away. Please press the button again, or
          reload the page.
        </p>
      ) : null}
      {Quiz ? <Quiz open={wanted} onClose={() => setWanted(false)} /> : null}
    </>
  );
}
