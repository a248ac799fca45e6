import { type ComponentType, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { Button } from '@/components/ui/button';
import { useHydrated } from '@/lib/use-hydrated';
import { useLazyModule } from '@/lib/use-lazy-module';

export type QuizDialog = ComponentType<{ open: boolean; onClose: () => void }>;

const ASKED = 'quiz';

/**
 * Whether the quiz is open stands in the address, so that the browser's Back closes it, and comes back
 * to it from a page that it led to.
 */
function useOpen() {
  const { pathname, search, hash } = useLocation();
  const navigate = useNavigate();
  const isOpen = useHydrated() && new URLSearchParams(search).has(ASKED);

  function go(open: boolean) {
    if (open === isOpen) return;
    const query = new URLSearchParams(search);
    if (open) query.set(ASKED, '');
    else query.delete(ASKED);
    const written = query.toString().replace(`${ASKED}=`, ASKED);
    const place = `${pathname}${written ? `?${written}` : ''}${hash}`;
    void navigate(place, { replace: !open, preventScrollReset: true });
  }
  return { isOpen, go };
}

/** Opens the quiz. Its code is fetched on hover, focus or press of the button, and not before. */
export function QuizButton({ load }: { load: () => Promise<QuizDialog> }) {
  const quiz = useLazyModule(load);
  const [wanted, setWanted] = useState(false);
  const [missed, setMissed] = useState(false);
  const [pressed, setPressed] = useState(false);
  const Quiz = quiz.piece;
  const { isOpen, go } = useOpen();
  const { fetch } = quiz;

  useEffect(() => {
    if (isOpen) void fetch();
  }, [isOpen, fetch]);

  // Pressed right after Escape: the browser has closed the dialog, and the page doesn't know it yet.
  useEffect(() => {
    if (!pressed || isOpen) return;
    setPressed(false);
    go(true);
  }, [pressed, isOpen, go]);

  function reach() {
    if (quiz.failures === 0) void quiz.fetch();
  }

  async function open() {
    setWanted(true);
    setMissed(false);
    const came = await quiz.fetch();
    setWanted(false);
    if (came) setPressed(true);
    else setMissed(true);
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
          The quiz did not open: you seem to be offline. Please press the button again, or reload
          the page.
        </p>
      ) : null}
      {Quiz ? <Quiz open={isOpen} onClose={() => go(false)} /> : null}
    </>
  );
}
