import { type ChangeEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { describedBy, FieldError } from '@/components/ui/field';
import { classes } from '@/lib/classes';
import type { Photo } from '../hooks/use-photo';
import { formatSize, IMAGE_TYPES } from '../review-rules';

const HINT = 'JPEG, PNG or WebP, up to 5 MB. We remove location and camera data.';

const KINDS: Record<string, string> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'image/webp': 'WebP',
};

function PictureMark() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className="size-7">
      <g fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinejoin="round">
        <rect x="3" y="4.5" width="18" height="15" rx="3" />
        <circle cx="8.5" cy="10" r="1.6" />
        <path d="M4 17l5-4.5 3.5 3 3-2.5 5 4" strokeLinecap="round" />
      </g>
    </svg>
  );
}

/** What was chosen, as it will look in a card. */
function Preview({ photo }: { photo: Photo }) {
  const [shownUrl, setShownUrl] = useState('');
  const [brokenUrl, setBrokenUrl] = useState('');
  const { preview } = photo;
  return (
    <div className="relative grid size-24 shrink-0 place-items-center overflow-hidden rounded-card bg-sunken text-ink-2">
      <PictureMark />
      {preview && brokenUrl !== preview ? (
        <img
          src={preview}
          alt="What you chose"
          width={96}
          height={96}
          onLoad={() => setShownUrl(preview)}
          onError={() => setBrokenUrl(preview)}
          className={classes(
            'absolute inset-0 size-full object-cover transition-opacity duration-200',
            shownUrl === preview ? 'opacity-100' : 'opacity-0',
          )}
        />
      ) : null}
    </div>
  );
}

type PhotoFieldProps = { photo: Photo; disabled: boolean };

/** An optional picture with its preview. Nothing leaves the browser before the form is sent. */
export function PhotoField({ photo, disabled }: PhotoFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { picture, error } = photo;

  // Also when the server refused the picture, long after it was chosen.
  useEffect(() => {
    if (error && !disabled) input.current?.focus();
  }, [error, disabled]);

  function onChange(event: ChangeEvent<HTMLInputElement>) {
    const file = event.target.files?.[0];
    // So that the same file can be chosen once more.
    event.target.value = '';
    if (file) photo.choose(file);
  }

  function remove() {
    photo.remove();
    input.current?.focus();
  }

  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-semibold">
        Photo<span className="font-normal text-ink-2"> (optional)</span>
      </label>
      {picture ? (
        <div className="flex items-center gap-4 rounded-card border border-hairline bg-paper p-3">
          <Preview photo={photo} />
          <div className="flex min-w-0 flex-col items-start gap-2">
            <p className="w-full truncate font-semibold">{picture.file.name}</p>
            <p className="text-sm text-ink-2 numeric">
              {KINDS[picture.file.type] ?? 'Image'}, {formatSize(picture.file.size)}
            </p>
            <Button variant="secondary" size="sm" disabled={disabled} onClick={remove}>
              Remove photo
            </Button>
          </div>
        </div>
      ) : null}
      <input
        ref={input}
        id={id}
        name="image"
        type="file"
        accept={IMAGE_TYPES.join(',')}
        disabled={disabled}
        onChange={onChange}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, HINT, error)}
        className={classes(
          'w-full rounded-input text-sm',
          // The browser would say that no file is chosen: this field gives its file away at once.
          picture
            ? 'text-transparent'
            : 'border border-dashed border-control bg-paper p-2.5 text-ink-2',
          'file:mr-4 file:min-h-11 file:cursor-pointer file:rounded-full file:border-0',
          'file:bg-brand-soft file:px-5 file:font-semibold file:text-brand hover:border-brand',
          error && 'border-err',
        )}
      />
      <p id={`${id}-hint`} className="text-sm text-ink-2">
        {HINT}
      </p>
      <FieldError id={id} error={error} />
    </div>
  );
}
