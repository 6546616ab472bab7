import { useQuery, useQueryClient } from '@tanstack/react-query';

import type { SessionPlace } from '@/lib/api/types';
import { useCommand } from '@/lib/command';
import { formatDate } from '@/lib/formats';
import { notifyError } from '@/lib/notices';
import { loadFailure } from '@/lib/screenLoad';
import { notify } from '@/stores/snackbar';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { SkeletonRows } from '@/ui/SkeletonRows';
import { ErrorState } from '@/ui/States';
import { StatusPill } from '@/ui/StatusPill';
import { useFocusIfLost } from '@/ui/useFocusIfLost';
import { revokeOtherSessions, sessionsOptions } from './api';
import { browserName } from './browsers';
import styles from './Sessions.module.css';

/** Where one is signed in, and the way out of everywhere else. */
export function Sessions() {
  const sessions = useQuery(sessionsOptions);
  const failure = loadFailure(sessions);
  const heading = useFocusIfLost<HTMLHeadingElement>(sessions.data);
  return (
    <Card as="section" labelledBy="sessions" className={styles.card}>
      <h2 id="sessions" ref={heading} tabIndex={-1}>
        Where you are signed in
      </h2>
      {failure && <ErrorState {...failure} />}
      {!failure && !sessions.data && <SkeletonRows rows={2} />}
      {sessions.data && <Places sessions={sessions.data} />}
    </Card>
  );
}

function Places({ sessions }: { sessions: readonly SessionPlace[] }) {
  const client = useQueryClient();
  const revocation = useCommand<SessionPlace[]>((_, key) => revokeOtherSessions(key), {
    onSuccess: (left) => {
      client.setQueryData(sessionsOptions.queryKey, left);
      notify('You are signed out everywhere else.');
    },
    onError: notifyError,
  });
  const others = sessions.filter(({ current }) => !current);
  const here = sessions.filter(({ current }) => current);
  return (
    <>
      <ul className={styles.places}>
        {[...here, ...others].map((session) => (
          <Place key={session.id} session={session} />
        ))}
      </ul>
      {others.length > 0 ? (
        <Button variant="secondary" busy={revocation.isPending} onClick={() => revocation.mutate()}>
          Sign out everywhere else
        </Button>
      ) : (
        <p className={styles.muted}>You are signed in nowhere else.</p>
      )}
    </>
  );
}

function Place({ session: { agent, createdAt, lastUsedAt, current } }: { session: SessionPlace }) {
  const since = formatDate(createdAt);
  const lastUsed = formatDate(lastUsedAt);
  return (
    <li className={styles.place}>
      <span className={styles.browser}>{browserName(agent)}</span>
      {current && <StatusPill tone="success">This device</StatusPill>}
      <span className={styles.dates}>
        Signed in <time dateTime={createdAt}>{since}</time>
        {lastUsed !== since && (
          <>
            , last used <time dateTime={lastUsedAt}>{lastUsed}</time>
          </>
        )}
      </span>
    </li>
  );
}
