import { useQuery } from '@connectrpc/connect-query';
import { Checkbox } from '@/components/ui/checkbox';
import { ReviewsService } from '@/gen/reviews/v1/reviews_service_pb';
import { VerifiedBadge } from './review-badges';

type BadgeOfferProps = {
  invitation: string;
  withoutBadge: boolean;
  disabled: boolean;
  onChange: (withoutBadge: boolean) => void;
};

/** Says that the review would carry the badge, and lets people leave it off. Otherwise nothing. */
export function BadgeOffer(props: BadgeOfferProps) {
  const { invitation, withoutBadge, disabled, onChange } = props;
  const { data } = useQuery(ReviewsService.method.checkBadge, { invitation }, { staleTime: 0 });
  if (!data?.wouldBeVerified) return null;
  return (
    <div className="rounded-card border border-brand bg-paper px-5 pt-4 pb-2">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        Your review will carry the badge <VerifiedBadge />
      </p>
      <p className="mt-2 text-sm text-ink-2">
        It tells readers that you have been our client. Leave it off if you would rather not say so.
      </p>
      <Checkbox
        name="withoutBadge"
        label="Publish without the badge"
        checked={withoutBadge}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
    </div>
  );
}
