import { useQuery } from '@tanstack/react-query';

import { managePlansOptions } from '@/lib/api/queries';
import type { PauseEstimate, Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { pauseEstimateOptions } from '@/lib/pausing';
import { canBePaused, isLive } from '@/lib/plans';
import { useScreenLoad } from '@/lib/screenLoad';
import { type Hold, useHeldStill } from '@/lib/useHeldStill';
import { Card } from '@/ui/Card';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { Skeleton } from '@/ui/Skeleton';
import { ErrorState } from '@/ui/States';
import { BackLink } from '@/ui/TextLink';
import { NothingToPause } from './NothingToPause';
import { PauseBanner } from './PauseBanner';
import { ServiceOffers } from './ServiceOffers';

/** A month off instead of an end, and what is worth staying for. */
export default function PauseOfferPage() {
  const plans = useQuery(managePlansOptions);
  const [costs, hold] = useHeldStill(plans.data);
  const held = costs?.existingPlans.filter(isLive);
  const anyPausable = held?.some(canBePaused) ?? false;
  const estimate = useQuery({ ...pauseEstimateOptions, enabled: anyPausable });
  const failure = useScreenLoad(plans, estimate);
  const ready = held && (!anyPausable || estimate.data);
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading>Pause Your Subscription</PageHeading>
      {failure && (
        <Card>
          <ErrorState {...failure} />
        </Card>
      )}
      {!failure && !ready && <BannerSkeleton />}
      {!failure && ready && <Offer held={held} estimate={estimate.data} hold={hold} />}
    </Page>
  );
}

interface OfferProps {
  held: readonly Plan[];
  /** Missing where nothing can be paused. */
  estimate: PauseEstimate | undefined;
  hold: Hold;
}

function Offer({ held, estimate, hold }: OfferProps) {
  const pausable = held.filter(canBePaused);
  const others = held.filter((plan) => !canBePaused(plan));
  return (
    <>
      {estimate && pausable.length > 0 ? (
        <PauseBanner pausable={pausable} others={others} periods={estimate.plans} hold={hold} />
      ) : (
        <NothingToPause held={held} />
      )}
      {held.length > 0 && <ServiceOffers />}
    </>
  );
}

function BannerSkeleton() {
  return (
    <Card>
      <Skeleton height="20rem" radius="box" />
    </Card>
  );
}
