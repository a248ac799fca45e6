/** The session of this browser, where a call of ours has opened or changed it. */
import type { Session } from '@supabase/auth-js';
import { authClient } from '@/lib/auth';

/** Makes a session that such a call has opened the one of this browser. */
export async function takeSession(session: Session): Promise<void> {
  const { access_token, refresh_token } = session;
  const client = await authClient();
  const { error } = await client.setSession({ access_token, refresh_token });
  if (error) throw error;
}

/** A session whose second step was removed says so after this, or else within minutes. */
export async function renewSession(): Promise<void> {
  try {
    await (await authClient()).refreshSession();
  } catch {
    // It is renewed by itself.
  }
}
