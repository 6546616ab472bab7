import { useEffect, useId } from 'react';

import { leaveAccountView, readAccountView } from '@/lib/page/pageSettings';
import { Button } from '@/ui/buttons/Button';
import styles from './ViewBanner.module.css';

/** A banner on every screen while an operator sees an account; it stays in sight. */
export function ViewBanner() {
  const titleId = useId();
  const view = readAccountView();
  const secondsLeft = view?.secondsLeft;
  useEffect(
    () => (secondsLeft === undefined ? undefined : leaveWhenExpired(secondsLeft)),
    [secondsLeft],
  );
  if (view === null) return null;
  return (
    <section aria-labelledby={titleId} className={styles.banner}>
      <form method="post" action={view.endUrl} className={styles.inner}>
        <input type="hidden" name="csrfmiddlewaretoken" value={view.csrfToken} />
        <input type="hidden" name="view" value={view.id} />
        <div className={styles.text}>
          <h2 id={titleId} className={styles.title}>
            You see the account of {view.name}
          </h2>
          <p>Nothing can be changed. The view ends on {view.expiresOn}.</p>
        </div>
        <Button type="submit" variant="secondary">
          End view
        </Button>
      </form>
    </section>
  );
}

/** A page from the back/forward cache may be older than the view. */
function leaveWhenExpired(secondsLeft: number): () => void {
  const timer = window.setTimeout(leaveAccountView, secondsLeft * 1000);
  const handlePageShow = ({ persisted }: PageTransitionEvent) => {
    if (persisted) window.location.reload();
  };
  window.addEventListener('pageshow', handlePageShow);
  return () => {
    window.clearTimeout(timer);
    window.removeEventListener('pageshow', handlePageShow);
  };
}
