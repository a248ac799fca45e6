/** The metadata of an address for search engines and for previews of links. */
import type { PageHead } from '@/app/page-heads';
import { CARD_HEIGHT, CARD_WIDTH, type Card } from './card';
import { escapeHtml, scriptJson } from './escape';
import { ORIGIN } from './origin';

export type SeoPage = {
  /** The path of the address that all of this is about. */
  path: string;
  card: Card;
  /** Nodes of schema.org. */
  data: readonly object[];
};

type FoundParts = { head: PageHead; practiceName: string; found: SeoPage };

function property(name: string, content: string | number): string {
  return `<meta property="${name}" content="${escapeHtml(String(content))}">`;
}

/** Elements of the head. An address that search engines shall not keep has no canonical one. */
export function seoTagsHtml({ head, practiceName, found }: FoundParts): string[] {
  const { card, data } = found;
  const address = escapeHtml(`${ORIGIN}${head.canonical ?? found.path}`);
  const block = scriptJson({ '@context': 'https://schema.org', '@graph': data });
  return [
    head.hidden ? '' : `<link rel="canonical" href="${address}">`,
    property('og:title', head.title),
    head.description ? property('og:description', head.description) : '',
    property('og:type', 'website'),
    `<meta property="og:url" content="${address}">`,
    property('og:site_name', practiceName),
    property('og:locale', 'en_IN'),
    property('og:image', `${ORIGIN}/cards/${card.name}.png`),
    property('og:image:type', 'image/png'),
    property('og:image:width', CARD_WIDTH),
    property('og:image:height', CARD_HEIGHT),
    property('og:image:alt', card.alt),
    '<meta name="twitter:card" content="summary_large_image">',
    data.length > 0 ? `<script type="application/ld+json">${block}</script>` : '',
  ];
}
