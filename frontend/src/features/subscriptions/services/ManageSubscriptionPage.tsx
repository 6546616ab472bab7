import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router-dom';
import { PlanTableSkeleton } from '@/domain/plans/PlanTableSkeleton';
import { canChangePeriod, isLive } from '@/domain/plans/plans';
import { DowngradePreview } from '@/features/subscriptions/shared/DowngradePreview';
import { NoPlans } from '@/features/subscriptions/shared/NoPlans';
import styles from '@/features/subscriptions/shared/subscriptions.module.css';
import { managePlansOptions } from '@/lib/api/queries';
import type { ManagePlans } from '@/lib/api/types';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { Card } from '@/ui/layout/Card';
import { Columns } from '@/ui/layout/Columns';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { BackLink } from '@/ui/navigation/TextLink';
import { OtherChanges } from './OtherChanges';
import { ServiceChoice } from './ServiceChoice';
import { choosablePlans } from './serviceDraft';

/**
 * The current plans with checkboxes to add and remove; with `?action=downgrade`, a preview of a
 * downgrade.
 */
export default function ManageSubscriptionPage() {
  const [query] = useSearchParams();
  const plans = useQuery(managePlansOptions);
  const failure = useScreenLoad(plans);
  const isPreview = query.get('action') === 'downgrade';
  const canChoose = !plans.data || choosablePlans(plans.data).length > 0;
  return (
    <Page width="wide">
      <BackLink to={paths.dashboard} />
      <PageHeading
        lead={
          isPreview || !canChoose
            ? undefined
            : 'Choose your services. Nothing changes until you confirm.'
        }
      >
        Manage Subscriptions
      </PageHeading>
      <Columns
        aside={plans.data && !isPreview && <OtherChanges plans={plans.data.existingPlans} />}
      >
        <Card as="section" labelledBy="your-subscriptions" className={styles.card}>
          <h2 id="your-subscriptions">Your Subscriptions</h2>
          {failure && <ErrorState {...failure} />}
          {!failure && !plans.data && <PlanTableSkeleton />}
          {plans.data &&
            (isPreview ? (
              <DowngradeContent costs={plans.data} />
            ) : (
              <ServiceContent costs={plans.data} />
            ))}
        </Card>
      </Columns>
    </Page>
  );
}

function DowngradeContent({ costs }: { costs: ManagePlans }) {
  if (!costs.existingPlans.some(isLive))
    return <NoPlans canAdd={choosablePlans(costs).length > 0} />;
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

function ServiceContent({ costs }: { costs: ManagePlans }) {
  return costs.plans.length > 0 || costs.existingPlans.some(isLive) ? (
    <ServiceChoice costs={costs} />
  ) : (
    <NoPlans canAdd={false} />
  );
}
