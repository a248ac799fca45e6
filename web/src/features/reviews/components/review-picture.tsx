import { useState } from 'react';
import type { ReviewImage } from '@/gen/reviews/v1/reviews_service_pb';

const SMALL_SIDE_MAX = 480;

type ReviewPictureProps = {
  image: ReviewImage;
  alt: string;
  size: 'small' | 'large';
  className?: string;
};

/** A review's picture in the room that it will need. One that cannot be had is hidden. */
export function ReviewPicture({ image, alt, size, className }: ReviewPictureProps) {
  const [failed, setFailed] = useState(false);
  if (failed) return null;
  const small = size === 'small';
  const longer = Math.max(image.width, image.height, 1);
  const scale = small ? Math.min(1, SMALL_SIDE_MAX / longer) : 1;
  return (
    <img
      src={small ? image.smallPath : image.path}
      alt={alt}
      width={Math.round(image.width * scale)}
      height={Math.round(image.height * scale)}
      loading={small ? 'lazy' : 'eager'}
      decoding="async"
      onError={() => setFailed(true)}
      className={className}
    />
  );
}
