/** What the catalogue answers, as zero values; catalogue-shapes.test.ts holds it to the contract. */
import type {
  Faq,
  ListFaqsResponse,
  ListQuizAreasResponse,
  ListServicesResponse,
  Practice,
  Practitioner,
  Service,
} from '@/gen/catalogue/v1/catalogue_service_pb';
import type { Money } from '@/gen/common/v1/money_pb';
import type { Shape } from './connect-get';

const MONEY: Shape<Money> = { minorUnits: 0n, currencyCode: '' };

const PRACTITIONER: Shape<Practitioner> = { practitionerId: '', name: '' };

const FAQ: Shape<Faq> = { question: '', answer: '' };

const PRACTICE: Shape<Practice> = {
  name: '',
  practitionerName: '',
  phone: '',
  email: '',
  address: '',
  city: '',
  region: '',
  timeZone: '',
  timeZoneLabel: '',
  contactHours: '',
  supportHours: '',
  whatsapp: '',
  figures: [{ key: '', value: '', label: '' }],
  cancellationHours: 0,
  crisisNote: '',
  reviewServices: [''],
  about: {
    introduction: '',
    story: [''],
    philosophy: '',
    qualifications: [{ title: '', description: '' }],
    portraitUrl: '',
  },
  refundDaysText: '',
  replyDaysText: '',
  wellbeingNote: '',
  holdMinutes: 0,
  practitioners: [PRACTITIONER],
};

export const PRACTICE_ANSWER = { practice: PRACTICE };

const SERVICE: Shape<Service> = {
  serviceId: '',
  title: '',
  description: '',
  detailedDescription: '',
  features: [{ name: '', description: '' }],
  durationText: '',
  durationMinutes: 0,
  price: MONEY,
  disclaimer: '',
  videoUrl: '',
  accent: '',
  captionsUrl: '',
  crisisNote: false,
  practitioners: [PRACTITIONER],
  schedulingUrl: '',
};

export const SERVICES_ANSWER: Shape<ListServicesResponse> = {
  services: [SERVICE],
  packages: [
    {
      packageId: '',
      title: '',
      description: '',
      sessions: 0,
      price: MONEY,
      serviceIds: [''],
      withinDays: 0,
      noticeHours: 0,
    },
  ],
  consultation: SERVICE,
};

export const QUIZ_ANSWER: Shape<ListQuizAreasResponse> = {
  areas: [{ areaId: '', title: '', description: '', accent: '', recommendedServiceIds: [''] }],
};

export const FAQS_ANSWER: Shape<ListFaqsResponse> = {
  groups: [{ title: '', faqs: [FAQ] }],
  quickAnswers: [FAQ],
};
