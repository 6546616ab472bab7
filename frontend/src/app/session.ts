import { post } from '@/lib/http';
import { useAuth } from '@/stores/auth';

/** Ends the session here at once, and at the server: what fails there lapses there by itself. */
export function logout(): void {
  const ended = post('/api/auth/logout');
  useAuth.getState().signOut();
  ended.catch(() => undefined);
}
