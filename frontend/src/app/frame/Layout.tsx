import { Outlet } from 'react-router-dom';
import { lazyScreen, screenFileOptions } from '@/app/routing/lazyScreen';
import { sessionKey, useAuth } from '@/stores/auth';
import { Frame } from './Frame';

/** A chunk of its own, because visitors who are not signed in do not need it. */
export const accountLayoutFile = screenFileOptions(
  'account',
  () => import(/* webpackChunkName: 'frame' */ './AccountLayout'),
);

const AccountLayout = lazyScreen(accountLayoutFile);

/** The frame around every screen. */
export function Layout() {
  const signedIn = useAuth(({ token }) => token !== null);
  const session = useAuth(sessionKey);
  // Another subscriber's sign-in in another tab, or a switch to another customer, remounts every
  // screen, and the notices above it.
  if (signedIn) return <AccountLayout key={session} />;
  return (
    <Frame>
      <Outlet />
    </Frame>
  );
}
