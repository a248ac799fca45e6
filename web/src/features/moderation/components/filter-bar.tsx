import { SelectField } from '@/components/ui/select-field';
import { TextField } from '@/components/ui/text-field';
import { ImageFilter } from '@/gen/reviews/v1/reviews_staff_service_pb';
import { usePractice } from '@/lib/practice';
import type { Filters } from '../hooks/use-staff-reviews';

const RATINGS = [
  { value: '0', label: 'Any rating' },
  { value: '5', label: '5 stars' },
  { value: '4', label: '4 stars' },
  { value: '3', label: '3 stars' },
  { value: '2', label: '2 stars' },
  { value: '1', label: '1 star' },
];

const IMAGES = [
  { value: String(ImageFilter.UNSPECIFIED), label: 'Any photo' },
  { value: String(ImageFilter.WITH), label: 'With photo' },
  { value: String(ImageFilter.WITHOUT), label: 'No photo' },
];

type FilterBarProps = { filters: Filters; onChange: (change: Partial<Filters>) => void };

/** What narrows the list. */
export function FilterBar({ filters, onChange }: FilterBarProps) {
  const { reviewServices } = usePractice();
  const services = [
    { value: '', label: 'All services' },
    ...reviewServices.map((service) => ({ value: service, label: service })),
  ];
  return (
    <search aria-label="Reviews" className="grid grid-cols-2 gap-3 sm:grid-cols-4">
      <div className="col-span-2 sm:col-span-4">
        <TextField
          label="Search"
          labelHidden
          name="query"
          type="search"
          enterKeyHint="search"
          autoComplete="off"
          placeholder="Search name, e-mail or text"
          value={filters.query}
          onChange={(event) => onChange({ query: event.target.value })}
        />
      </div>
      <div className="col-span-2">
        <SelectField
          label="Service"
          labelHidden
          name="service"
          options={services}
          value={filters.service}
          onChange={(event) => onChange({ service: event.target.value })}
        />
      </div>
      <SelectField
        label="Rating"
        labelHidden
        name="rating"
        options={RATINGS}
        value={filters.rating}
        onChange={(event) => onChange({ rating: Number(event.target.value) })}
      />
      <SelectField
        label="Photo"
        labelHidden
        name="image"
        options={IMAGES}
        value={filters.image}
        onChange={(event) => onChange({ image: Number(event.target.value) })}
      />
    </search>
  );
}
