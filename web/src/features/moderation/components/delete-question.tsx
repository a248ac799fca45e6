import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';

type DeleteQuestionProps = { name: string; onDelete: () => void };

/** Delete, which asks once in its own place. */
export function DeleteQuestion({ name, onDelete }: DeleteQuestionProps) {
  const [asking, setAsking] = useState(false);
  const question = useRef<HTMLFieldSetElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const wasAsking = useRef(false);

  useEffect(() => {
    if (asking) question.current?.focus();
    else if (wasAsking.current) button.current?.focus();
    wasAsking.current = asking;
  }, [asking]);

  /** Escape takes back the question, and does not close the panel. */
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    setAsking(false);
  }

  if (!asking) {
    return (
      <Button ref={button} variant="secondary" size="sm" onClick={() => setAsking(true)}>
        Delete<span className="sr-only"> the review of {name}</span>
      </Button>
    );
  }
  return (
    <fieldset
      ref={question}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="flex flex-wrap items-center gap-2 rounded-card"
    >
      <legend className="float-left mr-1 py-2 text-sm font-semibold max-sm:w-full max-sm:py-0">
        Delete this review<span className="sr-only"> of {name}</span>?
      </legend>
      <Button variant="danger" size="sm" onClick={onDelete}>
        Yes, delete
      </Button>
      <Button variant="quiet" size="sm" onClick={() => setAsking(false)}>
        Keep
      </Button>
    </fieldset>
  );
}
