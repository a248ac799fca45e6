import type { MouseEvent } from 'react';
import { useLocation } from 'react-router';
import { scrollToTop } from '@/lib/scroll-to-top';
import { AppLink, type AppLinkProps } from './ui/app-link';

/** A link of header or footer: pressed on its own page, it scrolls to the top. */
export function SiteLink({ to, onClick, ...rest }: AppLinkProps) {
  const { pathname } = useLocation();
  const current = pathname === to || (to === '/services' && pathname.startsWith('/service'));

  function toTop(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event);
    if (pathname === to) scrollToTop();
  }

  return <AppLink to={to} onClick={toTop} aria-current={current ? 'page' : undefined} {...rest} />;
}
