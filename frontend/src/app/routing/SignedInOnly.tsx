import { Navigate, Outlet, useLocation } from 'react-router-dom';

import { paths } from '@/lib/paths';
import { useAuth } from '@/stores/auth';

/**
 * Renders the screens only for a signed-in subscriber. Redirects others to the landing page, which
 * brings them back after sign-in unless they have just signed out.
 */
export function SignedInOnly() {
  const { token, ended } = useAuth();
  const { pathname, search } = useLocation();
  if (token === null) {
    const state = ended === 'by-choice' ? null : { from: pathname + search };
    return <Navigate to={paths.landing} replace state={state} />;
  }
  return <Outlet />;
}
