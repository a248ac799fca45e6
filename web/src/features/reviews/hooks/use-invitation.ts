/** The invitation that this tab came with, taken out of the address at once. */
import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { invitationIn, readInvitation, writeInvitation } from '../invitation';

export type Invitation = {
  secret: string;
  /** Grows when an invitation's link is opened, so that the page scrolls to the form. */
  arrivals: number;
  forget: () => void;
};

export function useInvitation(): Invitation {
  const { pathname, search, hash, state } = useLocation();
  const navigate = useNavigate();
  const [secret, setSecret] = useState('');
  const [arrivals, setArrivals] = useState(0);

  useEffect(() => {
    const arrived = invitationIn(hash);
    if (!arrived) {
      setSecret(readInvitation());
      return;
    }
    writeInvitation(arrived);
    setSecret(arrived);
    setArrivals((count) => count + 1);
    void navigate({ pathname, search, hash: '' }, { replace: true, state });
  }, [hash, pathname, search, state, navigate]);

  function forget() {
    writeInvitation(null);
    setSecret('');
  }

  return { secret, arrivals, forget };
}
