/** Where the quiz leads to. */

export function detailsLink(serviceId: string): string {
  return `/services/${encodeURIComponent(serviceId)}`;
}

export function bookLink(serviceId: string): string {
  return `/book?${new URLSearchParams({ service: serviceId })}`;
}
