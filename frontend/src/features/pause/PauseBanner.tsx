import type { Plan } from '@/lib/api/types';
import { CONFIRMING_MESSAGE, isUnconfirmed, messageOf } from '@/lib/errors';
import { type PausePeriod, usePause } from '@/lib/pausing';
import { namesOf } from '@/lib/plans';
import type { Hold } from '@/lib/useHeldStill';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { InfoAlert } from '@/ui/InfoAlert';
import { CancelInstead } from './CancelInstead';
import { Obstacles } from './Obstacles';
import styles from './PauseBanner.module.css';
import { PauseChoice } from './PauseChoice';
import { PauseTerms } from './PauseTerms';
import { usePauseSelection } from './usePauseSelection';

interface PauseBannerProps {
  /** What can be paused; at least one. */
  pausable: readonly Plan[];
  /** What is held besides. */
  others: readonly Plan[];
  /** When a pause of each would start and end. */
  periods: readonly PausePeriod[];
  /** Holds the screen still while the pause is on its way and until its summary has come. */
  hold: Hold;
}

/** The offer: what a pause means, when it starts and ends, for which subscriptions, and the button. */
export function PauseBanner({ pausable, others, periods, hold }: PauseBannerProps) {
  const selection = usePauseSelection(pausable);
  const pausing = usePause('pause_offer', hold);
  const { chosen, ids } = selection;
  const press = () => {
    if (chosen.length === 0) selection.refuse();
    else pausing.mutate({ ids });
  };
  return (
    <Card as="section" labelledBy="need-a-break" className={styles.banner}>
      <h2 id="need-a-break">Need A Break?</h2>
      <PauseTerms chosen={chosen} periods={periods} />
      {pausable.length > 1 && <PauseChoice pausable={pausable} selection={selection} />}
      <Obstacles plans={others} />
      {pausing.isError && <PauseFailure error={pausing.error} />}
      <div className={styles.ways}>
        <p aria-live="polite">
          {chosen.length === 0 ? 'Nothing is chosen yet.' : <Pausing plans={chosen} />}
        </p>
        <Button busy={pausing.isPending} onClick={press} block>
          PAUSE MY SUBSCRIPTION
        </Button>
        <CancelInstead block>No thanks, continue to cancel</CancelInstead>
      </div>
    </Card>
  );
}

function Pausing({ plans }: { plans: readonly Plan[] }) {
  return (
    <>
      You are about to pause <strong>{namesOf(plans)}</strong>.
    </>
  );
}

/** A change still being confirmed is no failure, and is not called one. */
function PauseFailure({ error }: { error: Error }) {
  return isUnconfirmed(error) ? (
    <InfoAlert>{CONFIRMING_MESSAGE}</InfoAlert>
  ) : (
    <InfoAlert tone="error">{messageOf(error)}</InfoAlert>
  );
}
