import { ServiceArt } from '@/components/art/service-art';
import { ServiceDetails } from '@/features/catalogue/components/service-details';
import { ServiceNotFound } from '@/features/catalogue/components/service-not-found';
import { VideoPlayer } from '@/features/video/components/video-player';
import { posterOf } from '@/features/video/poster';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { useService } from '@/lib/practice';
import type { PageProps } from '../lazy-page';

/** Keyed by the service, so that another service's page begins with its own cover. */
function ServiceVideo({ service }: { service: Service }) {
  const { serviceId, accent, title, videoUrl, captionsUrl } = service;
  return (
    <VideoPlayer
      key={serviceId}
      src={videoUrl}
      captions={captionsUrl}
      poster={posterOf(videoUrl)}
      title={title}
      cover={<ServiceArt seed={serviceId} accent={accent} className="absolute inset-0 size-full" />}
    />
  );
}

export default function ServicePage({ params }: PageProps) {
  const service = useService(params.serviceId);
  if (!service) return <ServiceNotFound />;
  const video = service.videoUrl ? <ServiceVideo service={service} /> : undefined;
  return <ServiceDetails service={service} video={video} />;
}
