/** The links of header and footer. */
export type LinkPlace =
  | 'headerLeft'
  | 'headerRight'
  | 'footerGuide'
  | 'footerQuick'
  | 'footerLegal'
  | 'footerRules';

export type NavLink = { to: string; label: string };

/** The links of one place, in their order. */
export type LinksAt = (place: LinkPlace) => readonly NavLink[];
