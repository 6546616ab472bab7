import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';

import type { Activity } from '@/lib/api/types';
import { findLoadFailure } from '@/lib/api/useScreenLoad';
import { formatCount } from '@/lib/formatCount';
import { formatMoment } from '@/lib/formats';
import { Button } from '@/ui/buttons/Button';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { Card } from '@/ui/layout/Card';
import { SkeletonRows } from '@/ui/loading/SkeletonRows';
import { useFocusIfLost } from '@/ui/lostFocus';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import styles from './ActivityPanel.module.css';
import { ACTORS, activityOptions } from './activity';
import panel from './Panel.module.css';
import { SentMailDialog } from './SentMailDialog';

/** The account's activity: what was done, when, and by whom. */
export function ActivityPanel() {
  const activity = useInfiniteQuery(activityOptions);
  const failure = findLoadFailure(activity);
  const entries = activity.data?.pages.flatMap((page) => page.entries);
  const pages = activity.data?.pages.length ?? 0;
  const heading = useFocusIfLost<HTMLHeadingElement>(activity.hasNextPage);
  return (
    <Card as="section" labelledBy="activity" className={panel.panel}>
      <h2 id="activity" ref={heading} tabIndex={-1} className={styles.heading}>
        Activity
      </h2>
      {failure && <ErrorState {...failure} />}
      {!failure && !entries && <SkeletonRows rows={4} />}
      {entries && <ActivityEntries entries={entries} />}
      <VisuallyHidden>
        <span role="status">
          {entries && pages > 1 && `${formatCount(entries.length, 'entry', 'entries')} shown`}
        </span>
      </VisuallyHidden>
      {activity.isFetchNextPageError && (
        <p role="alert" className={panel.muted}>
          We couldn’t load more. Please try again.
        </p>
      )}
      {activity.hasNextPage && (
        <Button
          variant="secondary"
          busy={activity.isFetchingNextPage}
          onClick={() => activity.fetchNextPage()}
          block
        >
          Show more<VisuallyHidden> activity</VisuallyHidden>
        </Button>
      )}
    </Card>
  );
}

function ActivityEntries({ entries }: { entries: readonly Activity[] }) {
  if (entries.length === 0) {
    return (
      <p className={panel.muted}>No activity yet. Changes to your subscriptions show up here.</p>
    );
  }
  return <ActivityList entries={entries} />;
}

function ActivityList({ entries }: { entries: readonly Activity[] }) {
  const [opened, setOpened] = useState<Activity | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const open = (entry: Activity) => {
    setOpened(entry);
    setIsOpen(true);
  };
  return (
    <>
      <ol className={panel.rows}>
        {withKeys(entries).map(({ key, entry }) => (
          <ActivityEntry key={key} entry={entry} onOpen={open} />
        ))}
      </ol>
      <SentMailDialog entry={opened} open={isOpen} onClose={() => setIsOpen(false)} />
    </>
  );
}

/**
 * Each entry with a key that stays when another one is added above it; otherwise the button that had
 * the focus would go. Identical entries are numbered.
 */
function withKeys(entries: readonly Activity[]): { key: string; entry: Activity }[] {
  const counts = new Map<string, number>();
  return entries.map((entry) => {
    const content = `${entry.at} ${entry.kind} ${entry.text}`;
    const count = (counts.get(content) ?? 0) + 1;
    counts.set(content, count);
    return { key: `${content} ${count}`, entry };
  });
}

interface ActivityEntryProps {
  entry: Activity;
  onOpen: (entry: Activity) => void;
}

function ActivityEntry({ entry, onOpen }: ActivityEntryProps) {
  return (
    <li className={styles.entry}>
      <p>{entry.text}</p>
      <p className={panel.muted}>
        <time dateTime={entry.at}>{formatMoment(entry.at)}</time> · {ACTORS[entry.actor]}
      </p>
      {entry.mailId !== null && (
        <Button variant="link" onClick={() => onOpen(entry)}>
          Read the email<VisuallyHidden> “{entry.text}”</VisuallyHidden>
        </Button>
      )}
    </li>
  );
}
