/** The practice and what it offers: there from the first paint, refreshed when the page is idle. */

import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import type {
  Faq,
  FaqGroup,
  MeditationGuide,
  Package,
  Practice,
  QuizArea,
  Service,
} from '@/gen/catalogue/v1/catalogue_service_pb';
import { whenIdle } from './idle';
import { importWithRetry } from './import-with-retry';
import type { LegalName, LegalText, ShownTexts } from './legal-text';
import type { Snapshot } from './snapshot';
import type { Zone } from './time';

const SnapshotContext = createContext<Snapshot | undefined>(undefined);

type PracticeProviderProps = { snapshot: Snapshot; children: ReactNode };

export function PracticeProvider({ snapshot, children }: PracticeProviderProps) {
  const [current, setCurrent] = useState(snapshot);

  useEffect(() => {
    return whenIdle(() => {
      void importWithRetry(() => import('./catalogue-calls'))
        .then(({ fetchSnapshot }) => fetchSnapshot())
        .then((fresh) => fresh && setCurrent((before) => ({ ...before, ...fresh })))
        .catch(() => {
          // The prerendered texts and prices stay; the server decides every price anyway.
        });
    });
  }, []);

  return <SnapshotContext value={current}>{children}</SnapshotContext>;
}

/** All that the practice says; what a document's head is made from. */
export function useSnapshot(): Snapshot {
  const snapshot = useContext(SnapshotContext);
  if (!snapshot) throw new Error('PracticeProvider is missing.');
  return snapshot;
}

export function usePractice(): Practice {
  return useSnapshot().practice;
}

/** All services in the practice's order. */
export function useServices(): Service[] {
  return useSnapshot().services;
}

/** One service, or undefined for an unknown id. */
export function useService(serviceId: string | null | undefined): Service | undefined {
  return useSnapshot().services.find((service) => service.serviceId === serviceId);
}

/** The packages that are offered for a service. */
export function usePackagesFor(serviceId: string): Package[] {
  return useSnapshot().packages.filter(({ serviceIds }) => serviceIds.includes(serviceId));
}

/** One package, or undefined for an unknown id. */
export function usePackage(packageId: string): Package | undefined {
  return useSnapshot().packages.find((offer) => offer.packageId === packageId);
}

/** All packages in the practice's order. */
export function usePackages(): Package[] {
  return useSnapshot().packages;
}

/** The consultation that costs nothing, where the practice offers one. */
export function useConsultation(): Service | undefined {
  return useSnapshot().consultation;
}

/** What the quiz asks about, in the practice's order. */
export function useQuizAreas(): QuizArea[] {
  return useSnapshot().quizAreas;
}

/** All questions and answers, in the practice's groups. */
export function useFaqGroups(): FaqGroup[] {
  return useSnapshot().faqGroups;
}

/** The questions that the home page answers. */
export function useQuickAnswers(): Faq[] {
  return useSnapshot().quickAnswers;
}

/** The meditation guide, where this document was written with it. */
export function useWrittenGuide(): MeditationGuide | undefined {
  return useSnapshot().guide;
}

/** A legal text, where this document was written with it. */
export function useLegalText(name: LegalName): LegalText | undefined {
  return useSnapshot().legal?.[name];
}

/**
 * What an agreement on this page is to: the versions of the legal texts, and the hours of notice that
 * the page states, which are those of a package where there is one.
 */
export function useShownTexts(): (packageId: string) => ShownTexts {
  const { legalVersions, practice, packages } = useSnapshot();
  return (packageId) => {
    const offer = packages.find((one) => one.packageId === packageId);
    const { cancellationPolicy } = offer ?? practice;
    return { ...legalVersions, noticeHours: cancellationPolicy?.tiers[0]?.untilHours ?? 0 };
  };
}

/** The answer about a review as JSON, where this document was written with it. */
export function useWrittenReview(): unknown {
  return useSnapshot().review;
}

/** The practice's zone, for everything in lib/time.ts. */
export function usePracticeZone(): Zone {
  const { timeZone, timeZoneLabel } = usePractice();
  return { timeZone, label: timeZoneLabel };
}
