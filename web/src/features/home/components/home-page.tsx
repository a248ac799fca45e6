import type { ComponentType, ReactNode } from 'react';
import { Optional } from '@/components/optional';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { Closing } from './closing';
import { Featured } from './featured';
import { Founder } from './founder';
import { Hero } from './hero';
import { HowItWorks } from './how-it-works';
import { NextFreeLink, type SlotLink } from './next-free';
import { QuickAnswers } from './quick-answers';
import { QuizButton, type QuizDialog } from './quiz-button';
import { Testimonials } from './testimonials';

type HomePageProps = {
  /** Pieces of other features, put in by the route. */
  loadQuiz: () => Promise<QuizDialog>;
  loadReviews: () => Promise<ComponentType>;
  /** Counts its seconds from the page's opening on, so it is there from the beginning. */
  exitPopup: ReactNode;
  figures: ReactNode;
  serviceCard: (service: Service) => ReactNode;
  slotLink: SlotLink;
};

/** The whole welcome page, from the first promise to the way on. */
export function HomePage(props: HomePageProps) {
  const { loadQuiz, loadReviews, exitPopup, figures, serviceCard, slotLink } = props;
  return (
    <div className="flex flex-col gap-16 lg:gap-24">
      <Hero
        quizButton={<QuizButton load={loadQuiz} />}
        nextFree={<NextFreeLink slotLink={slotLink} />}
      />
      <Optional>{figures}</Optional>
      <Founder />
      <Featured card={serviceCard} />
      <HowItWorks />
      <QuickAnswers />
      <Optional>
        <Testimonials load={loadReviews} />
      </Optional>
      <Closing />
      <Optional>{exitPopup}</Optional>
    </div>
  );
}
