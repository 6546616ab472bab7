import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'react-router-dom';

import type { EmailPreference } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { useScreenLoad } from '@/lib/screenLoad';
import { ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { InfoAlert } from '@/ui/InfoAlert';
import { CheckIcon } from '@/ui/icons/CheckIcon';
import { MailIcon } from '@/ui/icons/MailIcon';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { SkeletonRows } from '@/ui/SkeletonRows';
import { EmptyState, ErrorState } from '@/ui/States';
import { BackLink, TextLink } from '@/ui/TextLink';
import { preferencesOptions } from './api';
import styles from './EmailPreferencesPage.module.css';
import { UNSUBSCRIBE_ALL } from './useSavePreferences';

/** What one is subscribed to, after it was saved; it can be looked at any time. */
export default function EmailConfirmPage() {
  const preferences = useQuery(preferencesOptions);
  const failure = useScreenLoad(preferences);
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading>Your Email Preferences</PageHeading>
      <Saved />
      <Card className={styles.card}>
        {failure && <ErrorState {...failure} />}
        {!failure && !preferences.data && <SkeletonRows rows={4} />}
        {preferences.data && <Subscribed preferences={preferences.data} />}
        <div className={styles.ways}>
          <ButtonLink to={paths.dashboard} block>
            BACK TO ACCOUNT PORTAL
          </ButtonLink>
          <TextLink to={paths.emailPreferences}>Change your email preferences</TextLink>
        </div>
      </Card>
    </Page>
  );
}

/** That it was saved, where one comes from saving it; and what follows from ending everything. */
function Saved() {
  const [query] = useSearchParams();
  const { saved } = (useLocation().state ?? {}) as { saved?: boolean };
  const isAllEnded = query.get('state') === UNSUBSCRIBE_ALL;
  if (!saved && !isAllEnded) return null;
  return (
    <InfoAlert tone="success">
      {saved && (
        <p>
          {isAllEnded
            ? 'You are unsubscribed from all emails.'
            : 'Your email preferences are saved.'}
        </p>
      )}
      {isAllEnded && (
        <p className={styles.allow}>
          PLEASE ALLOW 10 (ten) business days for your request to be processed
        </p>
      )}
    </InfoAlert>
  );
}

function Subscribed({ preferences }: { preferences: readonly EmailPreference[] }) {
  const subscribed = preferences.filter(({ checked }) => checked);
  if (subscribed.length === 0) {
    return (
      <EmptyState icon={<MailIcon />}>
        You are not subscribed to any emails. What you choose will be listed here.
      </EmptyState>
    );
  }
  return (
    <ul className={styles.list} aria-label="Emails you are subscribed to">
      {subscribed.map(({ key, name, summary }) => (
        <li key={key}>
          <CheckIcon />
          <span className={styles.kind}>
            <span className={styles.name}>{name}</span>
            <span className={styles.summary}>{summary}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
