import { type MouseEvent, useEffect, useRef } from 'react';
import { Alert } from './alert';

type ErrorSummaryProps = {
  /** Errors by the name of their field. */
  errors: Readonly<Partial<Record<string, string>>>;
  /** Grows with each refused attempt; the summary then takes the focus. */
  attempt: number;
  title?: string;
};

/** All errors of a form above it, each leading to its field. */
export function ErrorSummary({ errors, attempt, title }: ErrorSummaryProps) {
  const ref = useRef<HTMLDivElement>(null);
  const entries = Object.entries(errors).filter(([, text]) => text);

  useEffect(() => {
    if (attempt > 0) ref.current?.focus();
  }, [attempt]);

  function toField(event: MouseEvent<HTMLAnchorElement>, name: string) {
    event.preventDefault();
    const form = ref.current?.closest('form') ?? document;
    form.querySelector<HTMLElement>(`[name="${name}"]:not(:disabled)`)?.focus();
  }

  if (entries.length === 0) return null;
  return (
    <div ref={ref} tabIndex={-1} className="rounded-card">
      <Alert tone="error" title={title ?? 'Please check the following'}>
        <ul className="list-disc pl-5">
          {entries.map(([name, text]) => (
            <li key={name}>
              <a href={`#${name}`} onClick={(event) => toField(event, name)} className="underline">
                {text}
              </a>
            </li>
          ))}
        </ul>
      </Alert>
    </div>
  );
}
