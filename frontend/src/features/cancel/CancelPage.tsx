import { useQuery } from '@tanstack/react-query';

import { managePlansOptions } from '@/lib/api/queries';
import { daysLeft } from '@/lib/formats';
import { paths } from '@/lib/paths';
import { useScreenLoad } from '@/lib/screenLoad';
import { useHeldStill } from '@/lib/useHeldStill';
import { Card } from '@/ui/Card';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { PlanTableSkeleton } from '@/ui/PlanTableSkeleton';
import { ErrorState } from '@/ui/States';
import { BackLink } from '@/ui/TextLink';
import { CancelForm } from './CancelForm';
import { NothingToCancel } from './NothingToCancel';
import { type Leaving, useLeaving } from './useLeaving';

const TITLE = 'Cancel Subscriptions';

/** From this many days to the next bill on, the farewell is another. */
const LONG_STAY_DAYS = 90;

/** Leaving: what ends and when, a month off instead, three questions, and the button. */
export default function CancelPage() {
  const plans = useQuery(managePlansOptions);
  const failure = useScreenLoad(plans);
  const [costs, hold] = useHeldStill(plans.data);
  const held = costs?.existingPlans ?? [];
  const leaving = useLeaving(held);
  const isEmpty = leaving.listed.length === 0;
  return (
    <Page width="wide">
      <BackLink to={paths.dashboard} />
      <PageHeading title={TITLE}>{isEmpty ? TITLE : farewell(leaving)}</PageHeading>
      {!costs && <Card>{failure ? <ErrorState {...failure} /> : <PlanTableSkeleton />}</Card>}
      {costs && isEmpty && <NothingToCancel held={held} />}
      {costs && !isEmpty && <CancelForm leaving={leaving} hold={hold} />}
    </Page>
  );
}

/** By the next bill of the first plan listed; one that has none is no long stay. */
function farewell({ listed: [first] }: Leaving): string {
  const days = first?.nextBillingAt ? daysLeft(first.nextBillingAt) : 0;
  return days > LONG_STAY_DAYS ? 'It breaks our heart to see you go!' : 'We are sad to see you go!';
}
