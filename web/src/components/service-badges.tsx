import { Badge, type BadgeTone } from '@/components/ui/badge';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { formatPrice } from '@/lib/money';

const TONES: Record<string, BadgeTone> = { leaf: 'leaf', clay: 'clay', plum: 'plum' };

/** Length and price, side by side. */
export function ServiceBadges({ service }: { service: Service }) {
  return (
    <p className="flex flex-wrap gap-2">
      <Badge tone="neutral">
        <svg viewBox="0 0 20 20" aria-hidden="true" className="size-4">
          <g fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round">
            <circle cx="10" cy="10" r="7.2" />
            <path d="M10 6v4.2l2.6 1.8" />
          </g>
        </svg>
        {service.durationText}
      </Badge>
      <Badge tone={TONES[service.accent] ?? 'leaf'}>{formatPrice(service.price)}</Badge>
    </p>
  );
}
