import { useMutation } from '@tanstack/react-query';
import { useLocation, useNavigate } from 'react-router-dom';
import { paths } from '@/lib/paths';
import { useAuth } from '@/stores/auth';
import { verifyCode } from './api';

/** A path of ours: browsers read `//`, `/\` and, since they drop tabs and line breaks, `/<tab>/` as another host. */
const OWN_PATH = /^\/(?![/\\])[^\t\r\n]*$/;

/** Where one was going when the guard sent one here, which is never another site; else the account home. */
function destination(state: unknown): string {
  const from = (state as { from?: unknown } | null)?.from;
  return typeof from === 'string' && OWN_PATH.test(from) ? from : paths.dashboard;
}

/** Verifies the code; with the token stored, goes where one was going. */
export function useSignIn(onError: (error: unknown) => void) {
  const navigate = useNavigate();
  const { state } = useLocation();
  return useMutation({
    mutationFn: verifyCode,
    onSuccess: ({ token, account }) => {
      useAuth.getState().signIn(token, account.email);
      navigate(destination(state), { replace: true });
    },
    onError,
  });
}
