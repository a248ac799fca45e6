/** Whether the account's address is proved, as the access token says it to the services. */
import { accessToken } from './auth';

type Claims = { email_verified?: unknown };

function claimsOf(token: string): Claims {
  const part = token.split('.')[1] ?? '';
  const base64 = part.replace(/-/g, '+').replace(/_/g, '/');
  return JSON.parse(atob(base64)) as Claims;
}

/** False only where the token says so: a server that does not say can't be asked for more. */
export async function lacksProof(): Promise<boolean> {
  const token = await accessToken();
  if (!token) return false;
  try {
    return claimsOf(token).email_verified !== true;
  } catch {
    return false;
  }
}
