import { Outlet } from 'react-router-dom';

import { useAuth } from '@/stores/auth';
import { Frame } from './Frame';
import { lazyScreen, screenOptions } from './screens';

/** What goes around every screen of a subscriber; whoever is not signed in needs none of it. */
export const accountLayout = screenOptions(
  'account',
  () => import(/* webpackChunkName: 'frame' */ './AccountLayout'),
);

const AccountLayout = lazyScreen(accountLayout);

/** The frame around every screen. */
export function Layout() {
  const signedIn = useAuth(({ token }) => token !== null);
  if (signedIn) return <AccountLayout />;
  return (
    <Frame>
      <Outlet />
    </Frame>
  );
}
