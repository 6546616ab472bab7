import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Outlet } from 'react-router-dom';
import { AlertSlot } from '@/app/notices/AlertSlot';
import { GlobalModal } from '@/app/notices/GlobalModal';
import { PaymentFailureBanner, usePaymentFailure } from '@/app/notices/PaymentFailureBanner';
import { refreshOnOtherTabChange } from '@/lib/page/otherTabs';
import { useLoadingFlag } from '@/stores/loader';
import { AccountNav } from './AccountNav';
import { Frame } from './Frame';
import { ProfileMenu } from './ProfileMenu';

/** The frame around the screens of a signed-in subscriber. */
export default function AccountLayout() {
  const queryClient = useQueryClient();
  useEffect(() => refreshOnOtherTabChange(queryClient), [queryClient]);
  return (
    <>
      <Frame menu={<ProfileMenu />} nav={<AccountNav />} banner={<PaymentFailureBanner />}>
        <AlertSlot />
        <ScreenBelowBanner />
      </Frame>
      <GlobalModal />
    </>
  );
}

/**
 * Renders the screen once it is known whether a banner is shown above it and where that leads,
 * because a late banner would shift the layout. If that cannot be read, the screen renders anyway.
 * From then on it stays, with what was typed, also if a payment fails meanwhile.
 */
function ScreenBelowBanner() {
  const { isAwaited } = usePaymentFailure();
  const [isShown, setIsShown] = useState(!isAwaited);
  if (!isShown && !isAwaited) setIsShown(true);
  useLoadingFlag(!isShown);
  return isShown ? <Outlet /> : null;
}
