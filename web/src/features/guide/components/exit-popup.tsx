import type { ComponentType } from 'react';
import { importWithRetry } from '@/lib/import-with-retry';
import { useExitPopup } from '../hooks/use-exit-popup';
import type { ExitCardProps } from './exit-card';

async function loadCard(): Promise<ComponentType<ExitCardProps>> {
  return (await importWithRetry(() => import('./exit-card'))).ExitCard;
}

/**
 * Offers the meditation guide to a visitor who is about to leave. This part is small and is mounted
 * with the page, because its 30 seconds begin there; the card and its form are loaded when they
 * open. It never takes the focus: a screen reader announces it.
 */
export function ExitPopup() {
  const { state, close } = useExitPopup(loadCard);
  if (state.phase === 'waiting' || state.phase === 'over') return null;
  const Card = state.phase === 'open' ? state.content : undefined;
  return (
    <>
      <p role="status" className="sr-only print:hidden">
        {Card
          ? 'At the end of this page a free meditation guide is offered. Escape closes the offer.'
          : null}
      </p>
      {Card ? <Card onClose={close} /> : null}
    </>
  );
}

export default ExitPopup;
