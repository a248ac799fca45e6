import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react';
import { Link, useLocation } from 'react-router';
import { crossesDocument } from '@/lib/documents';

export type AppLinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & {
  to: string;
  children?: ReactNode;
  ref?: Ref<HTMLAnchorElement>;
};

/** A link inside the site: by the router where possible, by a full navigation where needed. */
export function AppLink({ to, children, ...rest }: AppLinkProps) {
  const { pathname } = useLocation();
  if (crossesDocument(pathname, to)) {
    return (
      <a href={to} {...rest}>
        {children}
      </a>
    );
  }
  return (
    <Link to={to} {...rest}>
      {children}
    </Link>
  );
}
