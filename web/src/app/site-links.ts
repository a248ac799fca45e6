/** The links of header and footer, taken from the list of pages and in its order. */
import type { LinkPlace, NavLink } from '@/components/navigation';
import { PAGES } from './pages';

export function linksAt(place: LinkPlace): NavLink[] {
  return PAGES.flatMap(({ path, link }) =>
    link?.at.includes(place) ? { to: path, label: link.label } : [],
  );
}
