import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sumRows } from '@/domain/costs/totals';
import type { PlanLine } from '@/domain/plans/PlanTable';
import { PlanTable } from '@/domain/plans/PlanTable';
import { PlanTableSkeleton } from '@/domain/plans/PlanTableSkeleton';
import { planRowFacts } from '@/domain/plans/planRow';
import { canBePaused, isLive, isPaused, planNotes, watchableServices } from '@/domain/plans/plans';
import { StartStreaming } from '@/domain/services/StartStreaming';
import { managePlansOptions, siteOptions } from '@/lib/api/queries';
import type { ManagePlans, Plan } from '@/lib/api/types';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import { EmptyState } from '@/ui/feedback/EmptyState';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { PauseIcon } from '@/ui/icons/PauseIcon';
import { Card } from '@/ui/layout/Card';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { useFocusIfLost } from '@/ui/lostFocus';
import { BackLink, TextLink } from '@/ui/navigation/TextLink';
import { CancelPauseLink } from './CancelPauseLink';
import { PauseNotice } from './PauseNotice';
import styles from './PauseSummaryPage.module.css';

/** The plans after pausing, with a button to remove each scheduled pause; or that none is scheduled. */
export default function PauseSummaryPage() {
  const plans = useQuery(managePlansOptions);
  const failure = useScreenLoad(plans);
  const [isDismissed, setIsDismissed] = useState(false);
  const pausing = plans.data?.existingPlans.filter((plan) => plan.hasScheduledPause) ?? [];
  // A pause's button goes with it, also if the answer to its removal was lost.
  const heading = useFocusIfLost<HTMLHeadingElement>(
    [isDismissed, ...pausing.map(({ subId }) => subId)].join(),
  );
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading title="Pause Summary">Manage Subscriptions</PageHeading>
      {plans.data && !isDismissed && (
        <PauseNotice plans={plans.data.existingPlans} onDismiss={() => setIsDismissed(true)} />
      )}
      {plans.data && <NoPauseNotice plans={plans.data.existingPlans.filter(isLive)} />}
      <Card as="section" labelledBy="your-subscriptions" className={styles.card}>
        <h2 id="your-subscriptions" ref={heading} tabIndex={-1} className={styles.heading}>
          Your Subscriptions
        </h2>
        {failure && <ErrorState {...failure} />}
        {!failure && !plans.data && <PlanTableSkeleton />}
        {plans.data && <HeldPlans costs={plans.data} />}
      </Card>
    </Page>
  );
}

/** Shown to who opens the screen by hand: nothing has been paused. */
function NoPauseNotice({ plans }: { plans: readonly Plan[] }) {
  const hasPause = plans.some((plan) => plan.hasScheduledPause || isPaused(plan));
  if (hasPause || plans.length === 0) return null;
  return (
    <InfoAlert>
      <p>Nothing is paused, and no pause is scheduled.</p>
      {plans.some(canBePaused) && <TextLink to={paths.pauseOffer}>Pause for 30 days</TextLink>}
    </InfoAlert>
  );
}

function HeldPlans({ costs }: { costs: ManagePlans }) {
  const { data: site } = useQuery(siteOptions);
  const held = costs.existingPlans.filter(isLive);
  if (held.length === 0) return <NoPlans />;
  return (
    <>
      <PlanTable
        caption="Your Subscriptions"
        lines={held.map(planLine)}
        sums={sumRows(costs, 'Coupon Code')}
      />
      <StartStreaming services={watchableServices(held, site?.services)} quiet />
    </>
  );
}

function NoPlans() {
  return (
    <EmptyState
      icon={<PauseIcon />}
      title="No subscriptions"
      action={<ButtonLink to={paths.dashboard}>Go to your account</ButtonLink>}
    >
      Your subscriptions and scheduled pauses show up here.
    </EmptyState>
  );
}

/** A plan's row in the summary, with a button to remove its scheduled pause. */
function planLine(plan: Plan): PlanLine {
  return {
    key: plan.subId,
    ...planRowFacts(plan),
    notes: planNotes(plan),
    action: plan.hasScheduledPause ? <CancelPauseLink plan={plan} /> : undefined,
  };
}
