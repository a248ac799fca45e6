/** A catalogue with a guide and the notifications service that mails it, played by a test. */
import { create } from '@bufbuild/protobuf';
import { Code, type ConnectError, createRouterTransport } from '@connectrpc/connect';
import {
  CatalogueService,
  type MeditationGuide,
  MeditationGuideSchema,
} from '@/gen/catalogue/v1/catalogue_service_pb';
import {
  NotificationsService,
  type RequestMeditationGuideRequest,
} from '@/gen/notifications/v1/notifications_service_pb';
import { refusal } from './refusal';

export function guideFixture(title = 'Two Quiet Minutes'): MeditationGuide {
  return create(MeditationGuideSchema, {
    title,
    introduction: ['Sit down.', 'Stop whenever you like.'],
    steps: [
      { title: 'Breathe', minutes: 1, paragraphs: ['In and out.', 'And again.', 'And again.'] },
      { title: 'Rest', minutes: 2, paragraphs: ['Do nothing.'] },
    ],
    closing: ['Go on with your day.'],
    minutes: 3,
  });
}

type Server = {
  guide: MeditationGuide;
  /** How often the guide was read. */
  reads: number;
  down: boolean;
  asked: RequestMeditationGuideRequest[];
  refusals: ConnectError[];
  /** What an answer to a wish waits for. */
  gate: Promise<void> | undefined;
};

function quiet(): Server {
  const guide = guideFixture();
  return { guide, reads: 0, down: false, asked: [], refusals: [], gate: undefined };
}

export const server: Server = quiet();

export function resetServer(): void {
  Object.assign(server, quiet());
}

export const transport = createRouterTransport(({ service }) => {
  service(CatalogueService, {
    getMeditationGuide: () => {
      server.reads += 1;
      if (server.down) throw refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE');
      return { guide: server.guide };
    },
  });
  service(NotificationsService, {
    requestMeditationGuide: async (request) => {
      server.asked.push(request);
      await server.gate;
      const refused = server.refusals.shift();
      if (refused) throw refused;
      return {};
    },
  });
});
