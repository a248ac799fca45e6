/** Which picture stands for a page where its link is shared. */
import type { Snapshot } from '@/lib/snapshot';

export const CARD_WIDTH = 1200;
export const CARD_HEIGHT = 630;

export type Card = {
  /** The file's name below cards/, without its ending. */
  name: string;
  title: string;
  /** A line beneath the title. */
  line: string;
  /** The picture's text alternative. */
  alt: string;
  art: { seed: string; accent: string };
};

type Plain = Pick<Card, 'title' | 'line' | 'art'>;

const ART: Record<string, Card['art']> = {
  home: { seed: 'general-consultation', accent: 'sun' },
  services: { seed: 'energy-healing', accent: 'leaf' },
  about: { seed: 'mental-health', accent: 'clay' },
  reviews: { seed: 'relationship-counseling', accent: 'sun' },
  faq: { seed: 'karmic-healing', accent: 'leaf' },
  contact: { seed: 'relationship-counseling', accent: 'clay' },
  book: { seed: 'general-consultation', accent: 'leaf' },
  'cancellation-policy': { seed: 'vedic-astrology', accent: 'plum' },
  'meditation-guide': { seed: 'meditation', accent: 'leaf' },
};

const WORDS: Record<string, readonly [title: string, line: string]> = {
  services: ['Our services', 'Every session with its length and its price'],
  reviews: ['What people say', 'Reviews after sessions, in their own words'],
  faq: ['Questions, answered', 'Sessions, booking, payment and healing'],
  book: ['Book a session', 'Free times, and payment online'],
  contact: ['Get in touch', 'Write to us, call, or come by'],
  'cancellation-policy': ['If plans change', 'Cancelling a session'],
  'meditation-guide': ['A meditation for beginners', 'Five steps and ten minutes'],
};

function plainCard(name: string, { practice }: Snapshot): Plain {
  const art = ART[name] ?? { seed: name, accent: 'leaf' };
  const words = WORDS[name];
  if (words) return { title: words[0], line: words[1], art };
  if (name === 'about') {
    return { title: `Meet ${practice.practitionerName}`, line: 'Who we are, how we work', art };
  }
  const where = practice.city ? `In ${practice.city} and online` : 'Online';
  return { title: 'Holistic healing and counselling', line: where, art };
}

function named(name: string, { title, line, art }: Plain, { practice }: Snapshot): Card {
  return { name, title, line, art, alt: `${practice.name}: ${title}. ${line}.` };
}

/** The card of a path; whatever has none of its own has the welcome page's. */
export function cardOf(path: string, snapshot: Snapshot): Card {
  const id = /^\/services?\/([^/]+)$/.exec(path)?.[1];
  const service = snapshot.services.find(({ serviceId }) => serviceId === id);
  if (service) {
    const { title, durationText, accent, serviceId } = service;
    const plain = { title, line: durationText, art: { seed: serviceId, accent } };
    return named(`service-${serviceId}`, plain, snapshot);
  }
  const name = path.split('/')[1] ?? '';
  const known = name in ART ? name : 'home';
  return named(known, plainCard(known, snapshot), snapshot);
}

/** Every card that a page of this practice may name. */
export function allCards(snapshot: Snapshot): Card[] {
  const plain = Object.keys(ART).map((name) => (name === 'home' ? '/' : `/${name}`));
  const services = snapshot.services.map(({ serviceId }) => `/service/${serviceId}`);
  return [...plain, ...services].map((path) => cardOf(path, snapshot));
}
