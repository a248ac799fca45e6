/** Which reviews are listed, as the address says it. */
export type FilterName = 'all' | 'verified' | 'recent';

export const FILTERS: readonly { value: FilterName; label: string }[] = [
  { value: 'all', label: 'All Reviews' },
  { value: 'verified', label: 'Verified' },
  { value: 'recent', label: 'Recent' },
];

export const FILTER_PARAM = 'filter';

export function readFilter(params: URLSearchParams): FilterName {
  const said = params.get(FILTER_PARAM);
  return said === 'verified' || said === 'recent' ? said : 'all';
}
