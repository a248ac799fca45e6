/** A catalogue with a guide and the notifications service that mails it, played by a test. */
import { create } from '@bufbuild/protobuf';
import { createRouterTransport } from '@connectrpc/connect';
import {
  CatalogueService,
  type MeditationGuide,
  MeditationGuideSchema,
} from '@/gen/catalogue/v1/catalogue_service_pb';
import {
  NotificationsService,
  type RequestMeditationGuideRequest,
} from '@/gen/notifications/v1/notifications_service_pb';
import { Answering } from './answering';

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

class GuideServer extends Answering {
  guide = guideFixture();
  /** How often the guide was read. */
  reads = 0;
  asked: RequestMeditationGuideRequest[] = [];
}

export const server = new GuideServer();

export function resetServer(): void {
  Object.assign(server, new GuideServer());
}

export const transport = createRouterTransport(({ service }) => {
  service(CatalogueService, {
    getMeditationGuide: () => {
      server.reads += 1;
      server.read();
      return { guide: server.guide };
    },
  });
  service(NotificationsService, {
    requestMeditationGuide: async (request) => {
      server.asked.push(request);
      await server.command();
      return {};
    },
  });
});
