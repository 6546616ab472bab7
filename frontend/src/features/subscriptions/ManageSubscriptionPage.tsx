import { useQuery } from '@tanstack/react-query';

import { managePlansOptions, siteOptions } from '@/lib/api/queries';
import type { ManagePlans, Plan } from '@/lib/api/types';
import { serviceArt } from '@/lib/artwork';
import { formatCents } from '@/lib/formats';
import { paths } from '@/lib/paths';
import { isEnding, isLive, planNotes, watchableServices } from '@/lib/plans';
import { useScreenLoad } from '@/lib/screenLoad';
import { sumRows } from '@/lib/totals';
import { ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { CheckMark } from '@/ui/CheckMark';
import { PlayIcon } from '@/ui/icons/icons';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { type PlanLine, PlanTable } from '@/ui/PlanTable';
import { PlanTableSkeleton } from '@/ui/PlanTableSkeleton';
import { StartStreaming } from '@/ui/StartStreaming';
import { EmptyState, ErrorState } from '@/ui/States';
import { BackLink } from '@/ui/TextLink';
import styles from './ManageSubscriptionPage.module.css';

/** What one holds and what it costs together; nothing is changed here. */
export default function ManageSubscriptionPage() {
  const plans = useQuery(managePlansOptions);
  const failure = useScreenLoad(plans);
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading>Manage Subscriptions</PageHeading>
      <Card as="section" labelledBy="your-subscriptions" className={styles.card}>
        <h2 id="your-subscriptions">Your Subscriptions</h2>
        {failure && <ErrorState {...failure} />}
        {!failure && !plans.data && <PlanTableSkeleton />}
        {plans.data && <Held costs={plans.data} />}
      </Card>
    </Page>
  );
}

function Held({ costs }: { costs: ManagePlans }) {
  const { data: site } = useQuery(siteOptions);
  const held = costs.existingPlans.filter(isLive);
  if (held.length === 0) return <NothingHeld />;
  return (
    <>
      <PlanTable caption="Your Subscriptions" lines={held.map(lineOf)} sums={sumRows(costs)} />
      <StartStreaming services={watchableServices(held, site?.services)} />
    </>
  );
}

function lineOf(plan: Plan): PlanLine {
  return {
    key: plan.subId,
    name: plan.name,
    picture: serviceArt(plan.service),
    amount: formatCents(plan.amount),
    per: `per ${plan.periodUnit}`,
    notes: planNotes(plan),
    mark: <CheckMark label={plan.name} checked={!isEnding(plan)} />,
  };
}

function NothingHeld() {
  return (
    <EmptyState
      icon={<PlayIcon />}
      title="No subscriptions"
      action={<ButtonLink to={paths.dashboard}>Go to your account</ButtonLink>}
    >
      The services you subscribe to will be listed here with what each of them costs.
    </EmptyState>
  );
}
