import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'react-router-dom';

import { managePlansOptions } from '@/lib/api/queries';
import type { ManagePlans } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { canChangePeriod, isLive, type PeriodAction } from '@/lib/plans';
import { useScreenLoad } from '@/lib/screenLoad';
import { useHeldStill } from '@/lib/useHeldStill';
import { ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { classNames } from '@/ui/classNames';
import { CalendarIcon } from '@/ui/icons/CalendarIcon';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { PlanTableSkeleton } from '@/ui/PlanTableSkeleton';
import { EmptyState, ErrorState } from '@/ui/States';
import { BackLink } from '@/ui/TextLink';
import { PeriodChoice } from './PeriodChoice';
import { BILLED, whyNot } from './periodWords';
import { Sentences } from './Sentences';
import styles from './subscriptions.module.css';

const HEADINGS: Record<PeriodAction, string> = {
  upgrade: 'Upgrade to annual billing',
  downgrade: 'Downgrade to monthly billing',
};

/** The last part of the path says which change; a query that says downgrade has the last word. */
function useAction(): PeriodAction {
  const { pathname } = useLocation();
  const [query] = useSearchParams();
  const isDowngrade =
    query.get('action') === 'downgrade' || pathname.replace(/\/+$/, '').endsWith('/downgrade');
  return isDowngrade ? 'downgrade' : 'upgrade';
}

/** From monthly to annual billing or back: what it costs and saves, before it is done. */
export default function PlanChangePage() {
  const action = useAction();
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
        {plans.data && <Choice key={action} action={action} costs={plans.data} />}
      </Card>
    </Page>
  );
}

function Choice({ action, costs: current }: { action: PeriodAction; costs: ManagePlans }) {
  const [costs, hold] = useHeldStill(current);
  const held = costs.existingPlans.filter(isLive);
  const candidates = held.filter((plan) => canChangePeriod(plan, action));
  const others = held.filter((plan) => !candidates.includes(plan));
  const reasons = others.map((plan) => whyNot(action, plan));
  const canChange = candidates.length > 0;
  return (
    <>
      {canChange ? (
        <PeriodChoice action={action} costs={costs} candidates={candidates} hold={hold} />
      ) : (
        <NothingToChange action={action} />
      )}
      {reasons.length > 0 && (
        <div className={classNames(styles.muted, !canChange && styles.underState)}>
          <Sentences sentences={reasons} />
        </div>
      )}
    </>
  );
}

function NothingToChange({ action }: { action: PeriodAction }) {
  return (
    <EmptyState
      icon={<CalendarIcon />}
      title="There is nothing to change right now"
      action={<ButtonLink to={paths.manageSubscription}>See your subscriptions</ButtonLink>}
    >
      No subscription of yours can be changed to being billed {BILLED[action]} at the moment.
    </EmptyState>
  );
}
