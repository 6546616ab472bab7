import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router-dom';

import type { PauseAnswer, Plan } from '@/lib/api/types';
import { useCommand } from '@/lib/command';
import { CONFIRMING_MESSAGE, isUnconfirmed, messageOf } from '@/lib/errors';
import { paths } from '@/lib/paths';
import { usePlansAfterChange } from '@/lib/planChanges';
import { namesOf } from '@/lib/plans';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { InfoAlert } from '@/ui/InfoAlert';
import { pause, pauseEstimateOptions } from './api';
import { Obstacles } from './Obstacles';
import styles from './PauseBanner.module.css';
import { PauseChoice } from './PauseChoice';
import { type PausePeriod, PauseTerms } from './PauseTerms';
import { usePauseSelection } from './usePauseSelection';

interface PauseBannerProps {
  /** What can be paused; at least one. */
  pausable: readonly Plan[];
  /** What is held besides. */
  others: readonly Plan[];
  /** When a pause of each would start and end. */
  periods: readonly PausePeriod[];
}

/** Sends the pause, takes over the plans it answers with and goes to the summary. */
function usePause() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { taken, stale } = usePlansAfterChange();
  return useCommand<PauseAnswer, readonly string[]>(pause, {
    onSuccess: ({ plans }) => {
      taken(plans);
      void navigate(paths.pauseSummary);
    },
    onError: () => {
      stale();
      void client.invalidateQueries({ queryKey: pauseEstimateOptions.queryKey });
    },
  });
}

/** The offer: what a pause means, when it starts and ends, for which subscriptions, and the button. */
export function PauseBanner({ pausable, others, periods }: PauseBannerProps) {
  const selection = usePauseSelection(pausable);
  const pausing = usePause();
  const { chosen, ids } = selection;
  const press = () => {
    if (chosen.length === 0) selection.refuse();
    else pausing.mutate(ids);
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
