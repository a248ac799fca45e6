/** How auth-js calls the identity service: with the cookie, and with the work that it asks for. */
import { cookieFetch } from './cookie-fetch';
import { fetchWithWork } from './work';

export const serviceFetch = fetchWithWork(cookieFetch);
