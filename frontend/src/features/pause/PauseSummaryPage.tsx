import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { managePlansOptions, siteOptions } from '@/lib/api/queries';
import type { ManagePlans } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { isLive, watchableServices } from '@/lib/plans';
import { useScreenLoad } from '@/lib/screenLoad';
import { sumRows } from '@/lib/totals';
import { ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { PauseIcon } from '@/ui/icons/PauseIcon';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { PlanTable } from '@/ui/PlanTable';
import { PlanTableSkeleton } from '@/ui/PlanTableSkeleton';
import { StartStreaming } from '@/ui/StartStreaming';
import { EmptyState, ErrorState } from '@/ui/States';
import { BackLink } from '@/ui/TextLink';
import { useFocusIfLost } from '@/ui/useFocusIfLost';
import { PauseNotice } from './PauseNotice';
import styles from './PauseSummaryPage.module.css';
import { summaryLine } from './summaryLine';

/** What one holds after pausing, and the way to take a scheduled pause back. */
export default function PauseSummaryPage() {
  const plans = useQuery(managePlansOptions);
  const failure = useScreenLoad(plans);
  const [dismissed, setDismissed] = useState(false);
  const heading = useFocusIfLost<HTMLHeadingElement>(dismissed);
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading title="Pause Summary">Manage Subscriptions</PageHeading>
      {plans.data && !dismissed && (
        <PauseNotice plans={plans.data.existingPlans} onDismiss={() => setDismissed(true)} />
      )}
      <Card as="section" labelledBy="your-subscriptions" className={styles.card}>
        <h2 id="your-subscriptions" ref={heading} tabIndex={-1} className={styles.heading}>
          Your Subscriptions
        </h2>
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
      <PlanTable
        caption="Your Subscriptions"
        lines={held.map(summaryLine)}
        sums={sumRows(costs, 'Coupon Code')}
      />
      <StartStreaming services={watchableServices(held, site?.services)} />
    </>
  );
}

function NothingHeld() {
  return (
    <EmptyState
      icon={<PauseIcon />}
      title="No subscriptions"
      action={<ButtonLink to={paths.dashboard}>Go to your account</ButtonLink>}
    >
      Your subscriptions, and any pause you schedule, will be listed here.
    </EmptyState>
  );
}
