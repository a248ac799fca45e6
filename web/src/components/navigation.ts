/** The six links of the header, in their order. */
export type NavLink = { to: string; label: string };

export const LEFT_LINKS: readonly NavLink[] = [
  { to: '/', label: 'Home' },
  { to: '/services', label: 'Services' },
  { to: '/about', label: 'About Us' },
];

export const RIGHT_LINKS: readonly NavLink[] = [
  { to: '/reviews', label: 'Reviews' },
  { to: '/faq', label: 'FAQ' },
  { to: '/contact', label: 'Contact' },
];
