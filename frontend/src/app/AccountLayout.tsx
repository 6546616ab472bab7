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

/** The screen, once it is known whether a banner stands above it: one that came later would push it down. */
function ScreenBelowBanner() {
  const { isPending, fetchStatus } = useQuery(paymentFailureOptions);
  const isAwaited = isPending && fetchStatus === 'fetching';
  useLoadingFlag(isAwaited);
  return isAwaited ? null : <Outlet />;
}
