import { Navigate, Outlet, useLocation } from 'react-router-dom';

import { paths } from '@/lib/paths';
import { useAuth } from '@/stores/auth';

/**
 * Lets only a signed-in subscriber through. Others are sent to the landing page, which brings them
 * back after sign-in, unless they have just chosen to leave.
 */
export function SignedInOnly() {
  const { token, ended } = useAuth();
  const { pathname, search } = useLocation();
  if (token === null) {
    const state = ended === 'by-choice' ? null : { from: pathname + search };
    return <Navigate to={paths.landing} replace state={state} />;
  }
  // Another subscriber's sign-in in another tab starts every screen afresh.
  return <Outlet key={token} />;
}
