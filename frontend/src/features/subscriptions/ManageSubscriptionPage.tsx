import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router-dom';

import { managePlansOptions } from '@/lib/api/queries';
import type { ManagePlans } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { canChangePeriod } from '@/lib/plans';
import { useScreenLoad } from '@/lib/screenLoad';
import { ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { PlayIcon } from '@/ui/icons/PlayIcon';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { PlanTableSkeleton } from '@/ui/PlanTableSkeleton';
import { EmptyState, ErrorState } from '@/ui/States';
import { BackLink } from '@/ui/TextLink';
import { DowngradePreview } from './DowngradePreview';
import { choosable } from './draft';
import { OtherChanges } from './OtherChanges';
import { ServiceChoice } from './ServiceChoice';
import styles from './subscriptions.module.css';

/** What one holds, which of it goes on and what is added; or, by the address, what a downgrade would make of it. */
export default function ManageSubscriptionPage() {
  const [query] = useSearchParams();
  const plans = useQuery(managePlansOptions);
  const failure = useScreenLoad(plans);
  const isPreview = query.get('action') === 'downgrade';
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading
        lead={
          isPreview
            ? undefined
            : 'Check what you want to have from now on. Nothing changes before you confirm it.'
        }
      >
        Manage Subscriptions
      </PageHeading>
      <Card as="section" labelledBy="your-subscriptions" className={styles.card}>
        <h2 id="your-subscriptions">Your Subscriptions</h2>
        {failure && <ErrorState {...failure} />}
        {!failure && !plans.data && <PlanTableSkeleton />}
        {plans.data && (isPreview ? <Preview costs={plans.data} /> : <Choice costs={plans.data} />)}
      </Card>
      {plans.data && !isPreview && <OtherChanges plans={plans.data.existingPlans} />}
    </Page>
  );
}

function Preview({ costs }: { costs: ManagePlans }) {
  return (
    <>
      <DowngradePreview costs={costs} quiet />
      {costs.existingPlans.some((plan) => canChangePeriod(plan, 'downgrade')) ? (
        <ButtonLink to={paths.downgrade} block>
          Choose what to downgrade
        </ButtonLink>
      ) : (
        <ButtonLink to={paths.manageSubscription} block>
          See your subscriptions
        </ButtonLink>
      )}
    </>
  );
}

function Choice({ costs }: { costs: ManagePlans }) {
  return choosable(costs).length > 0 ? <ServiceChoice costs={costs} /> : <NothingHeld />;
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
