import { useQuery } from '@tanstack/react-query';
import { PlanTableSkeleton } from '@/domain/plans/PlanTableSkeleton';
import { managePlansOptions } from '@/lib/api/queries';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { daysLeft } from '@/lib/formats';
import { useFrozen } from '@/lib/hooks/useFrozen';
import { paths } from '@/lib/paths';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { Card } from '@/ui/layout/Card';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { useFocusHeadingIfLost } from '@/ui/lostFocus';
import { BackLink } from '@/ui/navigation/TextLink';
import { CancelForm } from './CancelForm';
import { NothingToCancel } from './NothingToCancel';
import { type CancelSelection, useCancelSelection } from './useCancelSelection';

const TITLE = 'Cancel Subscriptions';

/** From this many days to the next bill on, the heading changes. */
const LONG_STAY_DAYS = 90;

/** The cancel screen: what ends and when, a pause instead, the survey, and the cancel button. */
export default function CancelPage() {
  const plans = useQuery(managePlansOptions);
  const failure = useScreenLoad(plans);
  const [costs, hold] = useFrozen(plans.data);
  const held = costs?.existingPlans ?? [];
  const selection = useCancelSelection(held);
  const isEmpty = selection.listed.length === 0;
  useFocusHeadingIfLost(isEmpty);
  return (
    <Page width="wide">
      <BackLink to={paths.dashboard} />
      <PageHeading title={TITLE}>{isEmpty ? TITLE : farewellTitle(selection)}</PageHeading>
      {!costs && <Card>{failure ? <ErrorState {...failure} /> : <PlanTableSkeleton />}</Card>}
      {costs && isEmpty && <NothingToCancel held={held} />}
      {costs && !isEmpty && <CancelForm selection={selection} setFrozen={hold} />}
    </Page>
  );
}

/** Depends on the next bill of the first listed plan, if it has one. */
function farewellTitle({ listed: [first] }: CancelSelection): string {
  const days = first?.nextBillingAt ? daysLeft(first.nextBillingAt) : 0;
  return days > LONG_STAY_DAYS ? 'It breaks our heart to see you go!' : 'We are sad to see you go!';
}
