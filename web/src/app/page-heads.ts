/** What the heads of the pages' documents say to browsers and to search engines. */
import { isReviewId } from '@/features/reviews/review-id';
import type { Snapshot } from '@/lib/snapshot';
import type { Params } from './lazy-page';

export type PageHead = {
  /** The practice's name is added behind it. */
  title: string;
  description: string;
  /** Path of the one address that search engines shall keep, where it is not the page's own. */
  canonical?: string;
  /** Kept out of search engines. */
  hidden?: boolean;
};

export type HeadOf = (snapshot: Snapshot, params: Params) => PageHead;

export function listed(title: string, description: string): HeadOf {
  return () => ({ title, description });
}

/** Of a page that search engines are kept from. */
export function unlisted(title: string, description = ''): HeadOf {
  return () => ({ title, description, hidden: true });
}

export function serviceHead({ services }: Snapshot, { serviceId }: Params): PageHead {
  const service = services.find((one) => one.serviceId === serviceId);
  if (!service) return { title: 'Service Not Found', description: '', hidden: true };
  return {
    title: service.title,
    description: service.description,
    canonical: `/service/${service.serviceId}`,
  };
}

/** A review's own title is set when its words are there. */
export function reviewHead(_: Snapshot, { reviewId }: Params): PageHead {
  if (!isReviewId(reviewId)) return { title: 'Review Not Found', description: '', hidden: true };
  return { title: 'Review', description: 'What somebody says after a session, in full.' };
}

export function homeHead({ practice }: Snapshot): PageHead {
  return {
    title: `Holistic healing and counselling in ${practice.city} and online`,
    description:
      'Counselling, meditation and energy healing, online and in person. See free times, know ' +
      'the price beforehand, and book in two minutes.',
  };
}

export function aboutHead({ practice }: Snapshot): PageHead {
  return {
    title: 'About Us',
    description: `Who ${practice.practitionerName} is, how sessions are held, and what we believe in.`,
  };
}
