import { Button } from '@/components/ui/button';

/** Where reading reviews leads on to. */
export function BookCall() {
  return (
    <section className="container-page">
      <div className="flex flex-col items-center gap-6 rounded-panel bg-brand px-6 py-14 text-center text-on-brand [--focus:var(--on-brand)] dark:bg-brand-soft dark:text-ink dark:[--focus:inherit]">
        <h2 className="text-h2">Your own story can begin here</h2>
        <p className="measure text-lg">
          See what we offer, what it costs, and which times are free. You need no account to look.
        </p>
        <Button to="/services" variant="secondary" size="lg">
          See our services
        </Button>
      </div>
    </section>
  );
}
