import { Outlet } from 'react-router-dom';
import { lazyScreen, screenFileOptions } from '@/app/routing/lazyScreen';
import { useAuth } from '@/stores/auth';
import { Frame } from './Frame';

/** A chunk of its own, because visitors who are not signed in do not need it. */
export const accountLayoutFile = screenFileOptions(
  'account',
  () => import(/* webpackChunkName: 'frame' */ './AccountLayout'),
);

const AccountLayout = lazyScreen(accountLayoutFile);

/** The frame around every screen. */
export function Layout() {
  const token = useAuth((auth) => auth.token);
  // A sign-in as another subscriber in another tab remounts every screen, and the notices above it.
  if (token !== null) return <AccountLayout key={token} />;
  return (
    <Frame>
      <Outlet />
    </Frame>
  );
}
