import { expect, test, vi } from 'vitest';
import { currentTheme, setTheme, subscribeToTheme, THEME_SCRIPT, toggleTheme } from './theme';

/** Runs the inline script as the document's head does. */
function runThemeScript(): void {
  new Function(THEME_SCRIPT)();
}

test('light where nothing was chosen', () => {
  runThemeScript();
  expect(currentTheme()).toBe('light');
});

test('toggling switches, stores and marks the root', () => {
  toggleTheme();
  expect(currentTheme()).toBe('dark');
  expect(localStorage.getItem('theme')).toBe('dark');
  expect(document.documentElement.classList.contains('dark')).toBe(true);
  toggleTheme();
  expect(localStorage.getItem('theme')).toBe('light');
  expect(document.documentElement.classList.contains('dark')).toBe(false);
});

test('the stored choice is applied before the first paint', () => {
  localStorage.setItem('theme', 'dark');
  runThemeScript();
  expect(currentTheme()).toBe('dark');
});

test('listeners hear of changes until they leave', () => {
  const listener = vi.fn();
  const leave = subscribeToTheme(listener);
  setTheme('dark');
  leave();
  setTheme('light');
  expect(listener).toHaveBeenCalledTimes(1);
});

test('a page that comes back from the browser’s memory looks as was chosen meanwhile', () => {
  const listener = vi.fn();
  const leave = subscribeToTheme(listener);
  const comeBack = (persisted: boolean) =>
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
  comeBack(true);
  expect(listener).not.toHaveBeenCalled();
  localStorage.setItem('theme', 'dark');
  comeBack(false);
  expect(currentTheme()).toBe('light');
  comeBack(true);
  expect(currentTheme()).toBe('dark');
  expect(listener).toHaveBeenCalledTimes(1);
  leave();
  localStorage.setItem('theme', 'light');
  comeBack(true);
  expect(currentTheme()).toBe('dark');
});
