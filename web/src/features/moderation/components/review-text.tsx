import { useId, useLayoutEffect, useRef, useState } from 'react';
import { classes } from '@/lib/classes';

/** Three lines of a text, and all of it on request. */
export function ReviewText({ text }: { text: string }) {
  const ref = useRef<HTMLParagraphElement>(null);
  const id = useId();
  const [cut, setCut] = useState(false);
  const [whole, setWhole] = useState(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has another height.
  useLayoutEffect(() => {
    const paragraph = ref.current;
    if (paragraph && !whole) setCut(paragraph.scrollHeight > paragraph.clientHeight + 1);
  }, [text, whole]);

  return (
    <div>
      <p
        ref={ref}
        id={id}
        dir="auto"
        className={classes('text-sm whitespace-pre-line', !whole && 'line-clamp-3')}
      >
        {text}
      </p>
      {cut ? (
        <button
          type="button"
          aria-expanded={whole}
          aria-controls={id}
          onClick={() => setWhole((was) => !was)}
          className="min-h-11 text-sm font-semibold text-brand hover:underline"
        >
          {whole ? 'Show less' : 'Show all'}
        </button>
      ) : null}
    </div>
  );
}
