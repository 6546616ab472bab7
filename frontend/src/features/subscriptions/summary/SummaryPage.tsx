import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'react-router-dom';
import { hasReceipt, plansOfReceipt, readReceipt } from '@/domain/changes/receipts';
import { UndoAllButton } from '@/domain/changes/UndoAllButton';
import { useReportUndone } from '@/domain/changes/useReportUndone';
import { PlanTableSkeleton } from '@/domain/plans/PlanTableSkeleton';
import { canChangePeriod, isLive } from '@/domain/plans/plans';
import { DowngradePreview } from '@/features/subscriptions/shared/DowngradePreview';
import { NoPlans } from '@/features/subscriptions/shared/NoPlans';
import { ReadOnlyPlans } from '@/features/subscriptions/shared/ReadOnlyPlans';
import { Sentences } from '@/features/subscriptions/shared/Sentences';
import styles from '@/features/subscriptions/shared/subscriptions.module.css';
import {
  readSummaryAction,
  type SummaryAction,
  summarySentences,
} from '@/features/subscriptions/shared/summary';
import { managePlansOptions } from '@/lib/api/queries';
import type { ManagePlans, Plan } from '@/lib/api/types';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { paths } from '@/lib/paths';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { Card } from '@/ui/layout/Card';
import { Columns } from '@/ui/layout/Columns';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { BackLink } from '@/ui/navigation/TextLink';
import { UpcomingSteps } from './UpcomingSteps';

/** The screen after a change: what was done, the plans now or later, and what comes next. */
export default function SummaryPage() {
  const [query] = useSearchParams();
  const { state } = useLocation();
  const plans = useQuery(managePlansOptions);
  const failure = useScreenLoad(plans);
  const action = readSummaryAction(query);
  return (
    <Page width="wide">
      <BackLink to={paths.dashboard} />
      <PageHeading title="Plan Summary">Manage Subscriptions</PageHeading>
      {plans.data && <DoneNotice state={state} action={action} plans={plans.data.existingPlans} />}
      <Columns aside={plans.data && <UpcomingSteps plans={plans.data.existingPlans} />}>
        <Card as="section" labelledBy="your-subscriptions" className={styles.card}>
          <h2 id="your-subscriptions">Your Subscriptions</h2>
          {failure && <ErrorState {...failure} />}
          {!failure && !plans.data && <PlanTableSkeleton />}
          {plans.data && <HeldPlans action={action} costs={plans.data} />}
        </Card>
      </Columns>
    </Page>
  );
}

interface DoneNoticeProps {
  state: unknown;
  action: SummaryAction | null;
  plans: readonly Plan[];
}

/** Without the receipt of a change nothing was done: the URL alone, typed by hand, claims nothing. */
function DoneNotice({ state, action, plans }: DoneNoticeProps) {
  const onUndone = useReportUndone(paths.summary);
  if (!hasReceipt(state, plans)) return null;
  const receiptSentences = readReceipt(state, plans);
  const sentences =
    receiptSentences.length > 0 ? receiptSentences : summarySentences(action, plans);
  if (sentences.length === 0) return null;
  return (
    <InfoAlert tone="success">
      <Sentences sentences={sentences} />
      <UndoAllButton plans={plansOfReceipt(state, plans)} onUndone={onUndone} />
    </InfoAlert>
  );
}

/**
 * The preview assumes that everything is downgraded, so after a partial downgrade the plans' notes
 * say it instead.
 */
function HeldPlans({ action, costs }: { action: SummaryAction | null; costs: ManagePlans }) {
  const { existingPlans } = costs;
  if (!existingPlans.some(isLive)) return <NoPlans canAdd />;
  const isWhole =
    existingPlans.some(({ hasScheduledChange }) => hasScheduledChange) &&
    !existingPlans.some((plan) => canChangePeriod(plan, 'downgrade'));
  if (action === 'downgrade' && isWhole) return <DowngradePreview costs={costs} />;
  return <ReadOnlyPlans plans={existingPlans} costs={costs} />;
}
