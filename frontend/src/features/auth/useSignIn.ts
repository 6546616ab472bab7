import { useMutation } from '@tanstack/react-query';
import { useLocation, useNavigate } from 'react-router-dom';
import { paths } from '@/lib/paths';
import { useAuth } from '@/stores/auth';
import { verifyCode } from './api';

/** Where one was going when the guard sent one here; the account home otherwise. */
function destination(state: unknown): string {
  const from = (state as { from?: unknown } | null)?.from;
  return typeof from === 'string' && /^\/(?![/\\])/.test(from) ? from : paths.dashboard;
}

/** Verifies the code; with the token stored, goes where one was going. */
export function useSignIn(onError: (error: unknown) => void) {
  const navigate = useNavigate();
  const { state } = useLocation();
  return useMutation({
    mutationFn: verifyCode,
    onSuccess: ({ token }) => {
      useAuth.getState().signIn(token);
      navigate(destination(state), { replace: true });
    },
    onError,
  });
}
