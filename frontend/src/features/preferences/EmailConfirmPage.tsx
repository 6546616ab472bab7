import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'react-router-dom';

import type { EmailPreference } from '@/lib/api/types';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import { classNames } from '@/ui/classNames';
import { EmptyState } from '@/ui/feedback/EmptyState';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { CheckIcon } from '@/ui/icons/CheckIcon';
import { MailIcon } from '@/ui/icons/MailIcon';
import { Card } from '@/ui/layout/Card';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { SkeletonRows } from '@/ui/loading/SkeletonRows';
import { BackLink, TextLink } from '@/ui/navigation/TextLink';
import { preferencesOptions, type WantedEmails } from './api';
import styles from './EmailPreferencesPage.module.css';
import { UNSUBSCRIBE_ALL } from './useSavePreferences';

/** The emails that the subscriber gets, shown after saving and at any time. */
export default function EmailConfirmPage() {
  const preferences = useQuery(preferencesOptions);
  const failure = useScreenLoad(preferences);
  const hasNone = preferences.data?.every(({ checked }) => !checked) ?? false;
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading>Your Email Preferences</PageHeading>
      {preferences.data && <SavedNotice preferences={preferences.data} />}
      <Card className={styles.card}>
        {failure && <ErrorState {...failure} />}
        {!failure && !preferences.data && <SkeletonRows rows={4} />}
        {preferences.data && <SubscribedList preferences={preferences.data} />}
        <div className={classNames(styles.actions, hasNone && styles.centered)}>
          <ButtonLink to={paths.dashboard} block>
            BACK TO ACCOUNT PORTAL
          </ButtonLink>
          <TextLink to={paths.emailPreferences}>Change your email preferences</TextLink>
        </div>
      </Card>
    </Page>
  );
}

/**
 * Confirms the save, and how long unsubscribing from all emails takes. A URL that was typed by hand
 * claims neither a save nor, while there are emails, their end; nor does one of another account, to
 * which going back, or a sign-in in another tab, can lead.
 */
function SavedNotice({ preferences }: { preferences: readonly EmailPreference[] }) {
  const [query] = useSearchParams();
  const isSaved = useIsSaved(preferences);
  const isAllEnded =
    query.get('state') === UNSUBSCRIBE_ALL && !preferences.some(({ checked }) => checked);
  if (!isSaved && !isAllEnded) return null;
  return (
    <InfoAlert tone="success">
      {isSaved && (
        <p>
          {isAllEnded
            ? 'You’re unsubscribed from all emails.'
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

/** Whether the navigation state, which is untrusted, says that these preferences were saved. */
function useIsSaved(preferences: readonly EmailPreference[]): boolean {
  const { saved } = (useLocation().state ?? {}) as { saved?: Partial<WantedEmails> };
  return preferences.every(({ key, checked }) => saved?.[key] === checked);
}

function SubscribedList({ preferences }: { preferences: readonly EmailPreference[] }) {
  const subscribed = preferences.filter(({ checked }) => checked);
  if (subscribed.length === 0) {
    return <EmptyState icon={<MailIcon />}>You’re not subscribed to any emails.</EmptyState>;
  }
  return (
    <ul className={styles.list} aria-label="Subscribed emails">
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
