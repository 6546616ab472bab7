import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';

import type { EmailPreference } from '@/lib/api/types';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { useFormDraft } from '@/lib/hooks/useFormDraft';
import { paths } from '@/lib/paths';
import { useLoader } from '@/stores/loader';
import { Button } from '@/ui/buttons/Button';
import { ConfirmModal } from '@/ui/dialogs/ConfirmModal';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { Card } from '@/ui/layout/Card';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { SkeletonRows } from '@/ui/loading/SkeletonRows';
import { BackLink } from '@/ui/navigation/TextLink';
import { billingDetailsOptions, preferencesOptions, type WantedEmails, wantedEmails } from './api';
import styles from './EmailPreferencesPage.module.css';
import { PreferenceTable } from './PreferenceTable';
import { useSavePreferences } from './useSavePreferences';

/** The form for optional emails. */
export default function EmailPreferencesPage() {
  const preferences = useQuery(preferencesOptions);
  const details = useQuery(billingDetailsOptions);
  const failure = useScreenLoad(preferences, details);
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading lead="Choose the emails you’d like to get.">
        Manage Email Preferences
      </PageHeading>
      <Card className={styles.card}>
        {failure && <ErrorState {...failure} />}
        {!failure && !(preferences.data && details.data) && <SkeletonRows rows={5} />}
        {preferences.data && details.data && (
          <PreferencesForm preferences={preferences.data} email={details.data.email} />
        )}
      </Card>
      <p className={styles.note}>You’ll always get sign-in codes, receipts, and billing notices.</p>
    </Page>
  );
}

interface PreferencesFormProps {
  preferences: readonly EmailPreference[];
  email: string;
}

function PreferencesForm({ preferences, email }: PreferencesFormProps) {
  const [changed, setChanged] = useFormDraft<Partial<WantedEmails>>('email-preferences', {});
  const [isAsking, setIsAsking] = useState(false);
  const { save, unsubscribeFromAll, isSaving } = useSavePreferences();
  const wanted: WantedEmails = { ...wantedEmails(preferences), ...changed };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isSaving) save(wanted);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <p className={styles.address}>
        Emails go to <strong>{email}</strong>
      </p>
      <PreferenceTable
        preferences={preferences}
        wanted={wanted}
        onChange={(key, checked) => setChanged({ ...changed, [key]: checked })}
      />
      <div className={styles.actions}>
        <Button type="submit" busy={isSaving && !isAsking} block>
          SAVE PREFERENCES
        </Button>
        {Object.values(wanted).includes(true) && (
          <Button variant="link" onClick={() => setIsAsking(true)}>
            Unsubscribe From All
          </Button>
        )}
      </div>
      <UnsubscribeDialog
        open={isAsking}
        busy={isSaving}
        onConfirm={() => unsubscribeFromAll(() => setIsAsking(false))}
        onCancel={() => setIsAsking(false)}
      />
    </form>
  );
}

interface UnsubscribeDialogProps {
  open: boolean;
  busy: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}

/**
 * Part of the page instead of the global dialog, so that it unmounts before the next screen takes
 * the focus.
 */
function UnsubscribeDialog(props: UnsubscribeDialogProps) {
  const loaderNote = useLoader(({ message }) => message);
  return (
    <ConfirmModal
      {...props}
      title="Unsubscribe From All"
      message="Are you sure you want to unsubscribe from all emails?"
      warningContent="By unsubscribing from emails, you won’t be able to access special deals or notifications on upcoming series."
      confirmBtnText="YES, UNSUBSCRIBE"
      busyNote={loaderNote}
    />
  );
}
