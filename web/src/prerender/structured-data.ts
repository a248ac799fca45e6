/**
 * The practice and its pages in the words of schema.org. Only what the practice's files say is said,
 * and no stars: search engines do not count a business's marks for itself, and rightly so.
 */
import type { PageHead } from '@/app/page-heads';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import type { Snapshot } from '@/lib/snapshot';
import { cardOf } from './card';
import { ORIGIN } from './origin';

const PRACTICE_ID = `${ORIGIN}/#practice`;
const MINOR_PER_UNIT = 100n;

/** Paise as the decimal that schema.org wants, without a float: 150000n → "1500.00". */
export function decimalPrice(minor: bigint): string {
  const paise = (minor % MINOR_PER_UNIT).toString().padStart(2, '0');
  return `${minor / MINOR_PER_UNIT}.${paise}`;
}

/** India's telephone code says where a practice is; others are not guessed at. */
function countryOf({ practice }: Snapshot): string | undefined {
  return practice.phone.startsWith('+91') ? 'IN' : undefined;
}

/** The one line of the files in the parts of an address; what is not recognised stays in the street. */
function postalAddress(snapshot: Snapshot): object {
  const { address, city, region } = snapshot.practice;
  const street = city ? address.split(`, ${city}`)[0] : address;
  return {
    '@type': 'PostalAddress',
    streetAddress: street || address,
    addressLocality: city || undefined,
    addressRegion: region || undefined,
    postalCode: /\b\d{6}\b/.exec(address)?.[0],
    addressCountry: countryOf(snapshot),
  };
}

function areaServed(snapshot: Snapshot): object[] {
  const { city } = snapshot.practice;
  const country = countryOf(snapshot) ? [{ '@type': 'Country', name: 'India' }] : [];
  return [...(city ? [{ '@type': 'City', name: city }] : []), ...country];
}

function practiceNode(snapshot: Snapshot): object {
  const { practice } = snapshot;
  return {
    '@type': 'ProfessionalService',
    '@id': PRACTICE_ID,
    name: practice.name,
    url: `${ORIGIN}/`,
    image: `${ORIGIN}/cards/${cardOf('/', snapshot).name}.png`,
    telephone: practice.phone || undefined,
    email: practice.email || undefined,
    address: postalAddress(snapshot),
    areaServed: areaServed(snapshot),
    founder: practice.practitionerName
      ? { '@type': 'Person', name: practice.practitionerName }
      : undefined,
  };
}

function serviceNode(service: Service, snapshot: Snapshot): object {
  const url = `${ORIGIN}/service/${service.serviceId}`;
  const { price } = service;
  return {
    '@type': 'Service',
    '@id': `${url}#service`,
    name: service.title,
    description: service.description,
    url,
    provider: { '@id': PRACTICE_ID },
    areaServed: areaServed(snapshot),
    offers: price
      ? {
          '@type': 'Offer',
          price: decimalPrice(price.minorUnits),
          priceCurrency: price.currencyCode || 'INR',
          availability: 'https://schema.org/InStock',
          url,
        }
      : undefined,
  };
}

function listNode({ services }: Snapshot): object {
  return {
    '@type': 'ItemList',
    itemListElement: services.map(({ serviceId, title }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name: title,
      url: `${ORIGIN}/service/${serviceId}`,
    })),
  };
}

function faqNode({ faqGroups }: Snapshot): object {
  return {
    '@type': 'FAQPage',
    mainEntity: faqGroups
      .flatMap(({ faqs }) => faqs)
      .map(({ question, answer }) => ({
        '@type': 'Question',
        name: question,
        acceptedAnswer: { '@type': 'Answer', text: answer },
      })),
  };
}

function siteNode({ practice }: Snapshot): object {
  return {
    '@type': 'WebSite',
    '@id': `${ORIGIN}/#site`,
    name: practice.name,
    url: `${ORIGIN}/`,
    inLanguage: 'en-IN',
    publisher: { '@id': PRACTICE_ID },
  };
}

type Crumb = { name: string; path: string };

function crumbsNode(crumbs: readonly Crumb[]): object {
  return {
    '@type': 'BreadcrumbList',
    itemListElement: crumbs.map(({ name, path }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item: `${ORIGIN}${path}`,
    })),
  };
}

/** What a page of this path says about itself; pages that are not for search engines say nothing. */
export function structuredData(path: string, head: PageHead, snapshot: Snapshot): object[] {
  if (head.hidden) return [];
  const home = { name: 'Home', path: '/' };
  const own = { name: head.title, path };
  const practice = practiceNode(snapshot);
  if (path === '/') return [siteNode(snapshot), practice];
  const service = snapshot.services.find(({ serviceId }) => path === `/service/${serviceId}`);
  if (service) {
    const crumbs = crumbsNode([home, { name: 'Services', path: '/services' }, own]);
    return [practice, serviceNode(service, snapshot), crumbs];
  }
  const list = path.startsWith('/reviews/') ? [{ name: 'Reviews', path: '/reviews' }] : [];
  const crumbs = crumbsNode([home, ...list, own]);
  if (path === '/services') return [practice, listNode(snapshot), crumbs];
  if (path === '/faq') return [faqNode(snapshot), crumbs];
  return [practice, crumbs];
}
