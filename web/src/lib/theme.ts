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

/** Reports changes, also those made in another tab. */
export function subscribeToTheme(listener: () => void): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key !== THEME_KEY) return;
    document.documentElement.classList.toggle('dark', event.newValue === 'dark');
    listener();
  };
  listeners.add(listener);
  window.addEventListener('storage', onStorage);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', onStorage);
  };
}
