import { useCallback, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { type Link, NO_LINK, readLink, tokenIn, writeLink } from '../link';

/** The link that this tab came with and how it stands, nothing until the page has looked. */
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
    // Much may have happened elsewhere since a link was used here, so it is asked anew.
    keep({ ...NO_LINK, token });
    void navigate({ pathname, search: '', hash }, { replace: true, state });
  }, [pathname, search, hash, state, navigate, keep]);

  return { link, keep };
}
