import { FounderPortrait } from '@/components/art/founder-portrait';

/** The founder, in an arch. */
export function Portrait() {
  return (
    <div className="mx-auto w-full max-w-80 overflow-hidden rounded-t-[12rem] rounded-b-panel border-8 border-surface shadow-soft md:max-w-md md:rounded-t-[16rem]">
      <FounderPortrait first />
    </div>
  );
}
