import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'react-router-dom';

import { managePlansOptions } from '@/lib/api/queries';
import type { ManagePlans, Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { canChangePeriod, isLive } from '@/lib/plans';
import { receiptIn } from '@/lib/receipts';
import { useScreenLoad } from '@/lib/screenLoad';
import { ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { InfoAlert } from '@/ui/InfoAlert';
import { PlayIcon } from '@/ui/icons/PlayIcon';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { PlanTableSkeleton } from '@/ui/PlanTableSkeleton';
import { EmptyState, ErrorState } from '@/ui/States';
import { BackLink } from '@/ui/TextLink';
import { ComingUp } from './ComingUp';
import { DowngradePreview } from './DowngradePreview';
import { ReadOnlyPlans } from './ReadOnlyPlans';
import { Sentences } from './Sentences';
import styles from './subscriptions.module.css';
import { doneSentences, type SummaryAction, summaryAction } from './summary';

/** After a change: what was done, what one has now or will have, and what comes next. */
export default function SummaryPage() {
  const [query] = useSearchParams();
  const { state } = useLocation();
  const plans = useQuery(managePlansOptions);
  const failure = useScreenLoad(plans);
  const action = summaryAction(query);
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading title="Plan Summary">Manage Subscriptions</PageHeading>
      {plans.data && <Done state={state} action={action} plans={plans.data.existingPlans} />}
      <Card as="section" labelledBy="your-subscriptions" className={styles.card}>
        <h2 id="your-subscriptions">Your Subscriptions</h2>
        {failure && <ErrorState {...failure} />}
        {!failure && !plans.data && <PlanTableSkeleton />}
        {plans.data && <Held action={action} costs={plans.data} />}
      </Card>
      {plans.data && <ComingUp plans={plans.data.existingPlans} />}
    </Page>
  );
}

interface DoneProps {
  state: unknown;
  action: SummaryAction | null;
  plans: readonly Plan[];
}

function Done({ state, action, plans }: DoneProps) {
  const said = receiptIn(state, plans);
  const sentences = said.length > 0 ? said : doneSentences(action, plans);
  if (sentences.length === 0) return null;
  return (
    <InfoAlert tone="success">
      <Sentences sentences={sentences} />
    </InfoAlert>
  );
}

/** A preview is of everything that can be downgraded: where only a part is, each plan's note tells of it. */
function Held({ action, costs }: { action: SummaryAction | null; costs: ManagePlans }) {
  const { existingPlans } = costs;
  if (!existingPlans.some(isLive)) return <NothingHeld />;
  const isWhole =
    existingPlans.some(({ hasScheduledChange }) => hasScheduledChange) &&
    !existingPlans.some((plan) => canChangePeriod(plan, 'downgrade'));
  if (action === 'downgrade' && isWhole) return <DowngradePreview costs={costs} />;
  return <ReadOnlyPlans plans={existingPlans} costs={costs} />;
}

function NothingHeld() {
  return (
    <EmptyState
      icon={<PlayIcon />}
      title="No subscriptions"
      action={<ButtonLink to={paths.manageSubscription}>See what you can add</ButtonLink>}
    >
      The services you subscribe to will be listed here with what each of them costs.
    </EmptyState>
  );
}
