import { useCallback, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { type Link, NO_LINK, readLink, tokenIn, writeLink } from '../link';

/** The link of this tab and what was done with it; nothing until the address was read. */
export function useLink(): { link: Link | undefined; keep: (next: Link) => void } {
  const { pathname, search, hash, state } = useLocation();
  const navigate = useNavigate();
  const [link, setLink] = useState<Link>();

  const keep = useCallback((next: Link) => {
    writeLink(next);
    setLink(next);
  }, []);

  useEffect(() => {
    const token = tokenIn(search);
    if (token === undefined) {
      setLink((known) => known ?? readLink());
      return;
    }
    // The link may have been used elsewhere since, so both ways are offered again.
    keep({ ...NO_LINK, token });
    void navigate({ pathname, search: '', hash }, { replace: true, state });
  }, [pathname, search, hash, state, navigate, keep]);

  return { link, keep };
}
