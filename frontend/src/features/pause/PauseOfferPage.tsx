import { useQuery } from '@tanstack/react-query';
import { pauseEstimateOptions } from '@/domain/changes/pausing';
import { canBeCancelled, canBePaused, isLive } from '@/domain/plans/plans';
import { managePlansOptions } from '@/lib/api/queries';
import type { PauseEstimate, Plan } from '@/lib/api/types';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { type SetFrozen, useFrozen } from '@/lib/hooks/useFrozen';
import { paths } from '@/lib/paths';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { Card } from '@/ui/layout/Card';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { Skeleton } from '@/ui/loading/Skeleton';
import { useFocusHeadingIfLost } from '@/ui/lostFocus';
import { BackLink } from '@/ui/navigation/TextLink';
import { CancelInsteadLink } from './CancelInsteadLink';
import { NothingToPause } from './NothingToPause';
import styles from './NothingToPause.module.css';
import { PauseBanner } from './PauseBanner';
import { ServiceOffers } from './ServiceOffers';

/** The pause screen: the pause offer, and titles worth staying for. */
export default function PauseOfferPage() {
  const plans = useQuery(managePlansOptions);
  const [costs, setFrozen] = useFrozen(plans.data);
  const held = costs?.existingPlans.filter(isLive);
  const canPauseAny = held?.some(canBePaused) ?? false;
  const estimate = useQuery({ ...pauseEstimateOptions(), enabled: canPauseAny });
  const failure = useScreenLoad(plans, ...(canPauseAny ? [estimate] : []));
  // An estimate is refused if the plans have changed elsewhere.
  const retry = () => {
    void plans.refetch();
    if (canPauseAny) void estimate.refetch();
  };
  const isReady = held && (!canPauseAny || estimate.data);
  useFocusHeadingIfLost(canPauseAny && !failure && Boolean(isReady));
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading>Pause Your Subscription</PageHeading>
      {failure && (
        <Card>
          <ErrorState {...failure} onRetry={retry} />
          {held?.some(canBeCancelled) && (
            <div className={styles.actions}>
              <CancelInsteadLink>No thanks, continue to cancel</CancelInsteadLink>
            </div>
          )}
        </Card>
      )}
      {!failure && !isReady && <BannerSkeleton />}
      {!failure && isReady && (
        <PauseOfferContent held={held} estimate={estimate.data} setFrozen={setFrozen} />
      )}
    </Page>
  );
}

interface PauseOfferContentProps {
  held: readonly Plan[];
  /** Undefined if nothing can be paused. */
  estimate: PauseEstimate | undefined;
  setFrozen: SetFrozen;
}

function PauseOfferContent({ held, estimate, setFrozen }: PauseOfferContentProps) {
  const pausable = held.filter(canBePaused);
  const others = held.filter((plan) => !canBePaused(plan));
  return (
    <>
      {estimate && pausable.length > 0 ? (
        <PauseBanner
          pausable={pausable}
          others={others}
          periods={estimate.plans}
          setFrozen={setFrozen}
        />
      ) : (
        <NothingToPause held={held} />
      )}
      {held.length > 0 && <ServiceOffers held={held} />}
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
