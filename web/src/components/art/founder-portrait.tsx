import { useState } from 'react';
import { usePractice } from '@/lib/practice';
import { FounderArt } from './founder-art';

const PICTURE = 'block aspect-[4/5] w-full object-cover';

/**
 * The founder: the practice's own picture, or the drawn one where there is none or it fails. Where
 * it is the first thing seen, it is loaded before anything else, and elsewhere when it is near.
 */
export function FounderPortrait({ first = false }: { first?: boolean }) {
  const { about, practitionerName } = usePractice();
  const [failed, setFailed] = useState(false);
  const url = failed ? '' : about?.portraitUrl;
  if (!url) return <FounderArt className={PICTURE} />;
  return (
    <img
      src={url}
      alt={practitionerName}
      width={480}
      height={600}
      loading={first ? 'eager' : 'lazy'}
      fetchPriority={first ? 'high' : undefined}
      decoding="async"
      onError={() => setFailed(true)}
      className={PICTURE}
    />
  );
}
