import { afterEach, expect, test, vi } from 'vitest';
import { saveFile } from './save-file';

afterEach(() => {
  vi.useRealTimers();
});

test('a browser that reads the file only after the press still finds it', () => {
  vi.useFakeTimers();
  const link = document.createElement('a');
  vi.spyOn(document, 'createElement').mockReturnValue(link);
  const pressed = vi.spyOn(link, 'click').mockImplementation(() => {});
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:session');
  const revoked = vi.spyOn(URL, 'revokeObjectURL').mockImplementation(() => {});
  saveFile('session.ics', 'BEGIN:VCALENDAR', 'text/calendar');
  expect(pressed).toHaveBeenCalledTimes(1);
  expect([link.download, link.isConnected]).toEqual(['session.ics', false]);
  vi.advanceTimersByTime(10_000);
  expect(revoked).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(revoked).toHaveBeenCalledWith('blob:session');
});
