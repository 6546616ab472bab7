import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'react-router-dom';
import { PlanTableSkeleton } from '@/domain/plans/PlanTableSkeleton';
import { canChangePeriod, isLive, type PeriodAction } from '@/domain/plans/plans';
import { NoPlans } from '@/features/subscriptions/shared/NoPlans';
import { Sentences } from '@/features/subscriptions/shared/Sentences';
import styles from '@/features/subscriptions/shared/subscriptions.module.css';
import { managePlansOptions } from '@/lib/api/queries';
import type { ManagePlans, Plan } from '@/lib/api/types';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { useFrozen } from '@/lib/hooks/useFrozen';
import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import { classNames } from '@/ui/classNames';
import { EmptyState } from '@/ui/feedback/EmptyState';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { CalendarIcon } from '@/ui/icons/CalendarIcon';
import { Card } from '@/ui/layout/Card';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { useFocusHeadingIfLost } from '@/ui/lostFocus';
import { BackLink } from '@/ui/navigation/TextLink';
import { BILLING_ADJECTIVES, NEW_PERIOD, unchangeableReason } from './messages';
import { PeriodChoice } from './PeriodChoice';

const HEADINGS: Record<PeriodAction, string> = {
  upgrade: 'Upgrade to annual billing',
  downgrade: 'Downgrade to monthly billing',
};

/** The last part of the path is the action, but `?action=downgrade` overrides it. */
function usePeriodAction(): PeriodAction {
  const { pathname } = useLocation();
  const [query] = useSearchParams();
  const isDowngrade =
    query.get('action') === 'downgrade' || pathname.replace(/\/+$/, '').endsWith('/downgrade');
  return isDowngrade ? 'downgrade' : 'upgrade';
}

/** Changes the billing period between monthly and annual, after showing the costs and savings. */
export default function PeriodChangePage() {
  const action = usePeriodAction();
  const plans = useQuery(managePlansOptions);
  const failure = useScreenLoad(plans);
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading>{HEADINGS[action]}</PageHeading>
      <Card as="section" labelledBy="your-subscriptions" className={styles.card}>
        <h2 id="your-subscriptions">Your Subscriptions</h2>
        {failure && <ErrorState {...failure} />}
        {!failure && !plans.data && <PlanTableSkeleton />}
        {plans.data && <PeriodContent key={action} action={action} costs={plans.data} />}
      </Card>
    </Page>
  );
}

function PeriodContent({
  action,
  costs: currentCosts,
}: {
  action: PeriodAction;
  costs: ManagePlans;
}) {
  const [costs, setFrozen] = useFrozen(currentCosts);
  const held = costs.existingPlans.filter(isLive);
  const candidates = held.filter((plan) => canChangePeriod(plan, action));
  const canChange = candidates.length > 0;
  useFocusHeadingIfLost(canChange);
  if (held.length === 0) return <NoPlans canAdd={costs.plans.length > 0} />;
  const others = held.filter((plan) => !candidates.includes(plan));
  const reasons = others.map((plan) => unchangeableReason(action, plan));
  return (
    <>
      {canChange ? (
        <PeriodChoice action={action} costs={costs} candidates={candidates} setFrozen={setFrozen} />
      ) : (
        <NothingToChange action={action} held={held} />
      )}
      {reasons.length > 0 && (
        <div className={classNames(styles.muted, !canChange && styles.underState)}>
          <Sentences sentences={reasons} />
        </div>
      )}
    </>
  );
}

function NothingToChange({ action, held }: { action: PeriodAction; held: readonly Plan[] }) {
  const billing = `${BILLING_ADJECTIVES[action]} billing`;
  const hasPeriod = held.every(({ periodUnit }) => periodUnit === NEW_PERIOD[action]);
  return (
    <EmptyState
      icon={<CalendarIcon />}
      title="Nothing to change right now"
      action={<ButtonLink to={paths.manageSubscription}>See your subscriptions</ButtonLink>}
    >
      {hasPeriod
        ? `You’re already on ${billing}.`
        : `None of your subscriptions can switch to ${billing} right now.`}
    </EmptyState>
  );
}
