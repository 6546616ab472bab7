import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Outlet } from 'react-router-dom';

import { paymentFailureOptions } from '@/lib/api/queries';
import { refreshAfterOtherTabs } from '@/lib/tabs';
import { useLoadingFlag } from '@/stores/loader';
import { AlertSlot } from './AlertSlot';
import { Frame } from './Frame';
import { GlobalModal } from './GlobalModal';
import { PaymentFailureBanner } from './PaymentFailureBanner';
import { ProfileMenu } from './ProfileMenu';

/** The frame around the screens of a signed-in subscriber, with all that only they have. */
export default function AccountLayout() {
  const queryClient = useQueryClient();
  useEffect(() => refreshAfterOtherTabs(queryClient), [queryClient]);
  return (
    <>
      <Frame menu={<ProfileMenu />} banner={<PaymentFailureBanner />}>
        <AlertSlot />
        <ScreenBelowBanner />
      </Frame>
      <GlobalModal />
    </>
  );
}

/**
 * The screen, once it is known whether a banner stands above it: one that came later would push it down.
 * Where that could not be had the screen is there all the same, and stays while it is asked again.
 */
function ScreenBelowBanner() {
  const { isFetched, fetchStatus } = useQuery(paymentFailureOptions);
  const isAwaited = !isFetched && fetchStatus === 'fetching';
  useLoadingFlag(isAwaited);
  return isAwaited ? null : <Outlet />;
}
