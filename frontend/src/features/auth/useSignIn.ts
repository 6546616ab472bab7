import { useMutation } from '@tanstack/react-query';
import { useLocation, useNavigate } from 'react-router-dom';
import { paths } from '@/lib/paths';
import { useAuth } from '@/stores/auth';
import { verifyCode } from './api';

/**
 * A path of this site. Browsers treat `//`, `/\` and `/<tab>/` as another host, because they drop
 * tabs and line breaks.
 */
const OWN_PATH = /^\/(?![/\\])[^\t\r\n]*$/;

/** The path that the guard redirected from, never another site; the dashboard by default. */
function destinationAfterSignIn(state: unknown): string {
  const from = (state as { from?: unknown } | null)?.from;
  return typeof from === 'string' && OWN_PATH.test(from) ? from : paths.dashboard;
}

/**
 * Verifies the code, stores the token and navigates to the intended screen; nothing of it after the
 * visitor has moved on to another address, or to a session that another tab began.
 */
export function useSignIn(onError: (error: unknown) => void) {
  const navigate = useNavigate();
  const { state } = useLocation();
  const { mutate, isPending } = useMutation({ mutationFn: verifyCode });
  const signIn = (request: Parameters<typeof verifyCode>[0]) =>
    mutate(request, {
      onSuccess: ({ token, account }) => {
        useAuth.getState().signIn(token, account.email);
        navigate(destinationAfterSignIn(state), { replace: true });
      },
      onError,
    });
  return { signIn, isPending };
}
