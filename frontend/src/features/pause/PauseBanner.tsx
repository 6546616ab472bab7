import { ChangeFailure } from '@/domain/changes/ChangeFailure';
import { type PausePeriod, usePause } from '@/domain/changes/pausing';
import { IDS_PARAMETER } from '@/domain/plans/planAddresses';
import { formatPlanNames } from '@/domain/plans/plans';
import { usePlanSelection } from '@/domain/plans/usePlanSelection';
import type { Plan } from '@/lib/api/types';
import type { SetFrozen } from '@/lib/hooks/useFrozen';
import { Button } from '@/ui/buttons/Button';
import { Card } from '@/ui/layout/Card';
import { CancelInsteadLink } from './CancelInsteadLink';
import styles from './PauseBanner.module.css';
import { PauseChoice } from './PauseChoice';
import { PauseObstacles } from './PauseObstacles';
import { PauseTerms } from './PauseTerms';

interface PauseBannerProps {
  /** The pausable plans; at least one. */
  pausable: readonly Plan[];
  /** The other current plans. */
  others: readonly Plan[];
  /** The dates of a pause of each plan. */
  periods: readonly PausePeriod[];
  /** Keeps the screen unchanged from the request until the summary is shown. */
  setFrozen: SetFrozen;
}

/** The pause offer: what it means, its dates, the subscriptions to choose from, and the button. */
export function PauseBanner({ pausable, others, periods, setFrozen }: PauseBannerProps) {
  const selection = usePlanSelection(pausable, {
    purpose: 'pause',
    parameter: IDS_PARAMETER,
    idOf: ({ subId }) => subId,
  });
  const pauseCommand = usePause('pause_offer', setFrozen);
  const { chosen, ids } = selection;
  const submit = () => {
    if (chosen.length === 0) selection.refuse('pause');
    else pauseCommand.mutate({ ids: chosen.map(({ subId }) => subId), isAll: ids.length === 0 });
  };
  return (
    <Card as="section" labelledBy="need-a-break" className={styles.banner}>
      <h2 id="need-a-break">Need A Break?</h2>
      <PauseTerms selection={selection} periods={periods} />
      <PauseChoice pausable={pausable} selection={selection} />
      <PauseObstacles plans={others} />
      {pauseCommand.isError && <ChangeFailure error={pauseCommand.error} />}
      <div className={styles.actions}>
        <p aria-live="polite">
          {chosen.length === 0 ? (
            'Select what you’d like to pause.'
          ) : (
            <ChosenPlans plans={chosen} />
          )}
        </p>
        <Button busy={pauseCommand.isPending} onClick={submit} block>
          PAUSE MY SUBSCRIPTION
        </Button>
        <CancelInsteadLink block>No thanks, continue to cancel</CancelInsteadLink>
      </div>
    </Card>
  );
}

function ChosenPlans({ plans }: { plans: readonly Plan[] }) {
  return (
    <>
      You’re pausing <strong>{formatPlanNames(plans)}</strong>.
    </>
  );
}
