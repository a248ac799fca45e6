import { formatOwnTime, type Zone } from '@/lib/time';
import { Optional } from './optional';

type OwnTimeProps = { at: Date; zone: Zone };

function Line({ at, zone }: OwnTimeProps) {
  const own = formatOwnTime(at, zone);
  return own ? ` (${own})` : null;
}

/** " (5:30 am your time)" behind a time of the practice's, where the reader's clock shows another. */
export function OwnTime(props: OwnTimeProps) {
  return (
    <Optional>
      <Line {...props} />
    </Optional>
  );
}
