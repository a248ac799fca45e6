/** The address at which the dates of a package are chosen, for one of the services it has. */
export function packagePath(serviceId: string, packageId: string): string {
  return `/booking-flow?${new URLSearchParams({ service: serviceId, package: packageId })}`;
}
