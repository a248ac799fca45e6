import { Code, createClient, createRouterTransport } from '@connectrpc/connect';
import { afterEach, expect, test, vi } from 'vitest';
import { OrganisationStaffService } from '@/gen/booking/v1/organisation_service_pb';
import { refusal } from '@/testing/refusal';
import { askForSecondStep, askThrough } from './second-step';
import { renewSecondStep } from './second-step-interceptor';

const cleanup: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanup.splice(0)) clean();
});

function through(asker: () => Promise<boolean>) {
  cleanup.push(askThrough(asker));
}

/** A service that refuses until the step was done. */
function service(reason: string) {
  const server = { isNew: false, calls: 0 };
  const transport = createRouterTransport(
    ({ service: serve }) => {
      serve(OrganisationStaffService, {
        removeMember: () => {
          server.calls += 1;
          if (!server.isNew) throw refusal(Code.PermissionDenied, reason);
          return {};
        },
      });
    },
    { transport: { interceptors: [renewSecondStep] } },
  );
  return { server, client: createClient(OrganisationStaffService, transport) };
}

test('a call that wants a newer second step asks for it, and is made again', async () => {
  const { server, client } = service('SECOND_FACTOR_TOO_OLD');
  const ask = vi.fn(async () => {
    server.isNew = true;
    return true;
  });
  through(ask);
  await client.removeMember({ userId: 'usr_1' });
  expect([server.calls, ask.mock.calls.length]).toEqual([2, 1]);
});

test('a person who does not show it gets the refusal', async () => {
  const { server, client } = service('SECOND_FACTOR_TOO_OLD');
  through(async () => false);
  await expect(client.removeMember({ userId: 'usr_1' })).rejects.toThrow();
  expect(server.calls).toBe(1);
});

test('another refusal asks for nothing', async () => {
  const { server, client } = service('SECOND_FACTOR_REQUIRED');
  const ask = vi.fn(async () => true);
  through(ask);
  await expect(client.removeMember({ userId: 'usr_1' })).rejects.toThrow();
  expect([server.calls, ask.mock.calls.length]).toEqual([1, 0]);
});

test('calls that wait at the same time ask once', async () => {
  const ask = vi.fn(async () => true);
  through(ask);
  expect(await Promise.all([askForSecondStep(), askForSecondStep()])).toEqual([true, true]);
  expect(ask).toHaveBeenCalledTimes(1);
  expect(await askForSecondStep()).toBe(true);
  expect(ask).toHaveBeenCalledTimes(2);
});
