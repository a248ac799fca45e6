/** What can be booked, as the widget shows it: in its document, and refreshed from the catalogue. */
import type { ListServicesResponse, Practice } from '@/gen/catalogue/v1/catalogue_service_pb';
import { formatPrice } from '@/lib/money';

export type OfferedService = {
  serviceId: string;
  title: string;
  durationText: string;
  priceText: string;
  practitioners: { practitionerId: string; name: string }[];
};

export type OfferedPackage = {
  packageId: string;
  title: string;
  description: string;
  priceText: string;
};

export type Offer = { services: OfferedService[]; packages: OfferedPackage[] };

/** What the widget's document says. */
export type WidgetData = Offer & {
  practiceName: string;
  crisisNote: string;
  holdMinutes: number;
  /** Origins of the sites that may frame the widget. */
  parents: string[];
};

/** The id of the element that holds the data. */
export const DATA_ID = 'widget-data';

type Offered = Pick<ListServicesResponse, 'services' | 'packages'>;

export function offerOf({ services, packages }: Offered): Offer {
  return {
    services: services.map(({ serviceId, title, durationText, price, practitioners }) => ({
      serviceId,
      title,
      durationText,
      priceText: formatPrice(price),
      practitioners: practitioners.map(({ practitionerId, name }) => ({ practitionerId, name })),
    })),
    packages: packages.map(({ packageId, title, description, price }) => ({
      packageId,
      title,
      description,
      priceText: formatPrice(price),
    })),
  };
}

export function widgetDataOf(practice: Practice, offered: Offered, parents: string[]): WidgetData {
  const { name, crisisNote, holdMinutes } = practice;
  return { ...offerOf(offered), practiceName: name, crisisNote, holdMinutes, parents };
}
