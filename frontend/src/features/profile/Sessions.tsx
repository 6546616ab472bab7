import { useQuery, useQueryClient } from '@tanstack/react-query';
import { notifyError } from '@/lib/api/notifyError';
import type { SessionPlace } from '@/lib/api/types';
import { useCommand } from '@/lib/api/useCommand';
import { findLoadFailure } from '@/lib/api/useScreenLoad';
import { formatDate } from '@/lib/formats';
import { showSnackbar } from '@/stores/snackbar';
import { Button } from '@/ui/buttons/Button';
import { StatusPill } from '@/ui/display/StatusPill';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { Card } from '@/ui/layout/Card';
import { SkeletonRows } from '@/ui/loading/SkeletonRows';
import { useFocusIfLost } from '@/ui/lostFocus';
import { revokeOtherSessions, sessionsOptions } from './api';
import { browserName } from './browserName';
import styles from './Sessions.module.css';

/** The sessions, and a button to sign out of the others. */
export function Sessions() {
  const sessions = useQuery(sessionsOptions);
  const failure = findLoadFailure(sessions);
  const heading = useFocusIfLost<HTMLHeadingElement>(sessions.data);
  return (
    <Card as="section" labelledBy="sessions" className={styles.card}>
      <h2 id="sessions" ref={heading} tabIndex={-1}>
        Signed-in devices
      </h2>
      {failure && <ErrorState {...failure} />}
      {!failure && !sessions.data && <SkeletonRows rows={2} />}
      {sessions.data && <SessionList sessions={sessions.data} />}
    </Card>
  );
}

function SessionList({ sessions }: { sessions: readonly SessionPlace[] }) {
  const client = useQueryClient();
  const revokeCommand = useCommand<SessionPlace[]>((_, key) => revokeOtherSessions(key), {
    onSuccess: (remaining) => {
      client.setQueryData(sessionsOptions.queryKey, remaining);
      showSnackbar('You’re signed out everywhere else.');
    },
    onError: notifyError,
  });
  const others = sessions.filter(({ current }) => !current);
  const current = sessions.filter(({ current }) => current);
  return (
    <>
      <ul className={styles.places}>
        {[...current, ...others].map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
      {others.length > 0 ? (
        <Button
          variant="secondary"
          busy={revokeCommand.isPending}
          onClick={() => revokeCommand.mutate()}
        >
          Sign out everywhere else
        </Button>
      ) : (
        <p className={styles.muted}>You’re not signed in anywhere else.</p>
      )}
    </>
  );
}

function SessionRow({
  session: { agent, createdAt, lastUsedAt, current },
}: {
  session: SessionPlace;
}) {
  const since = formatDate(createdAt);
  const lastUsed = formatDate(lastUsedAt);
  return (
    <li className={styles.place}>
      <span className={styles.browser}>{browserName(agent)}</span>
      {current && <StatusPill tone="success">This device</StatusPill>}
      <span className={styles.dates}>
        Signed in <time dateTime={createdAt}>{since}</time>
        {/* It is stored once a day, so that the device in use may have been used since. */}
        {!current && lastUsed !== since && (
          <>
            , last used <time dateTime={lastUsedAt}>{lastUsed}</time>
          </>
        )}
      </span>
    </li>
  );
}
