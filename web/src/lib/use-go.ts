import { useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { crossesDocument } from './documents';

/** Goes to a path of the site: by the router where possible, by a full navigation where needed. */
export function useGo(): (to: string, options?: { replace?: boolean }) => void {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return useCallback(
    (to, options) => {
      if (!crossesDocument(pathname, to)) void navigate(to, options);
      else if (options?.replace) window.location.replace(to);
      else window.location.assign(to);
    },
    [navigate, pathname],
  );
}
