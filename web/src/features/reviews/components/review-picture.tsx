import { useState } from 'react';
import type { ReviewImage } from '@/gen/reviews/v1/reviews_service_pb';
import { classes } from '@/lib/classes';

const SMALL_SIDE_MAX = 480;
/** How much of the screen's height the large one takes at most. */
const HEIGHT_SHARE = 75;

type PictureProps = { image: ReviewImage; alt: string };

/** The small one, beside the words of a card. One that cannot be had is hidden. */
export function SmallPicture({ image, alt, tiny }: PictureProps & { tiny?: boolean }) {
  const [failed, setFailed] = useState(false);
  if (failed) return null;
  const scale = Math.min(1, SMALL_SIDE_MAX / Math.max(image.width, image.height, 1));
  return (
    <img
      src={image.smallPath}
      alt={alt}
      width={Math.round(image.width * scale)}
      height={Math.round(image.height * scale)}
      loading="lazy"
      decoding="async"
      onError={() => setFailed(true)}
      className={classes(
        'shrink-0 rounded-card bg-sunken object-cover',
        tiny ? 'size-16' : 'size-28 max-sm:h-44 max-sm:w-full',
      )}
    />
  );
}

/** The large one, in the room that it will need: no wider than it is, and never above the screen. */
export function LargePicture({ image, alt }: PictureProps) {
  const [failed, setFailed] = useState(false);
  if (failed) return null;
  const { width, height } = image;
  const ratio = width / Math.max(height, 1);
  return (
    <img
      src={image.path}
      alt={alt}
      width={width}
      height={height}
      decoding="async"
      onError={() => setFailed(true)}
      // Set by script and not in HTML, which the content policy allows.
      style={{ width: `min(100%, ${width}px, ${ratio * HEIGHT_SHARE}dvh)` }}
      className="h-auto self-center rounded-card bg-sunken"
    />
  );
}
