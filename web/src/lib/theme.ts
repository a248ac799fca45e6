/** Light or dark, kept under the key "theme"; light where nothing was chosen. */
export type Theme = 'light' | 'dark';

const THEME_KEY = 'theme';

/**
 * Runs in the document's head before the first paint. The build hashes exactly this text into the
 * content policy, so it stays one constant.
 */
export const THEME_SCRIPT =
  `try{if(localStorage.getItem('${THEME_KEY}')==='dark')` +
  `document.documentElement.classList.add('dark')}catch(e){}`;

const listeners = new Set<() => void>();

export function currentTheme(): Theme {
  return document.documentElement.classList.contains('dark') ? 'dark' : 'light';
}

export function setTheme(theme: Theme): void {
  document.documentElement.classList.toggle('dark', theme === 'dark');
  try {
    localStorage.setItem(THEME_KEY, theme);
  } catch {
    // Storage can be refused; the choice then lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

export function toggleTheme(): void {
  setTheme(currentTheme() === 'dark' ? 'light' : 'dark');
}

function storedTheme(): string | null {
  try {
    return localStorage.getItem(THEME_KEY);
  } catch {
    return null;
  }
}

/** Reports changes, also those made in another tab, or while the browser kept this page aside. */
export function subscribeToTheme(listener: () => void): () => void {
  const take = (theme: string | null) => {
    document.documentElement.classList.toggle('dark', theme === 'dark');
    listener();
  };
  const onStorage = (event: StorageEvent) => {
    if (event.key === THEME_KEY) take(event.newValue);
  };
  // A page that comes back from the browser's memory has missed what other pages chose.
  const onShow = ({ persisted }: PageTransitionEvent) => {
    const stored = persisted ? storedTheme() : null;
    if (stored) take(stored);
  };
  listeners.add(listener);
  window.addEventListener('storage', onStorage);
  window.addEventListener('pageshow', onShow);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', onStorage);
    window.removeEventListener('pageshow', onShow);
  };
}
